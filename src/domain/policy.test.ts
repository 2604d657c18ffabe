import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bears, type PolicyLevel, type Recipient, type SendPolicy, type SendRule, verdictOn } from './policy.ts';

const DEV = { id: '#dev', name: 'Dev Room' };
const RULES: SendRule[] = ['allow', 'hold', 'deny'];

describe('the policy for outgoing messages', () => {
  test('allows everything by default', () => {
    assert.deepEqual(verdict([], [DEV]), { kind: 'allow' });
    assert.deepEqual(verdict(levels({}, undefined, {}), [DEV]), { kind: 'allow' });
  });

  test('is as strict as its strictest level, whichever that is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<SendRule | undefined>(undefined, ...RULES)), (said) => {
        const { kind } = verdict(levels(...said.map((send) => ({ send }))), [DEV]);

        assert.equal(kind, RULES.findLast((rule) => said.includes(rule)) ?? 'allow');
      }),
    );
  });

  test('names the level that decides', () => {
    assert.deepEqual(verdict(levels({ send: 'allow' }, { send: 'hold' }), [DEV]), {
      kind: 'hold',
      reason: 'Level 1 asks for a person’s approval.',
    });
    assert.deepEqual(verdict(levels({ send: 'deny' }, { send: 'hold' }), [DEV]), {
      kind: 'deny',
      reason: 'Level 0 lets nothing leave.',
    });
    assert.deepEqual(verdict(levels({}, { allowedRecipients: ['#ops'] }), [DEV]), {
      kind: 'deny',
      reason: 'Level 1 does not allow this recipient.',
    });
  });

  test('matches a recipient by its exact id, or by its whole name in any case', () => {
    const allowed = ['#dev', 'dev room', 'DEV ROOM', 'ops:#dev', 'ops:Dev Room'];
    const others = ['#Dev', 'dev', 'Dev Room 2', ' Dev Room', 'other:#dev', 'ops:', 'ops:*', '*', ''];

    const verdictWith = (recipient: string) => verdict(levels({ allowedRecipients: [recipient] }), [DEV]).kind;

    assert.deepEqual(allowed.map(verdictWith), Array(allowed.length).fill('allow'));
    assert.deepEqual(others.map(verdictWith), Array(others.length).fill('deny'));
  });

  test('checks each recipient against each list; an empty list allows every recipient', () => {
    const alice = { id: 'alice@example.org', name: 'alice@example.org' };
    const both = { allowedRecipients: ['#dev', 'Alice@Example.org'] };

    assert.equal(verdict(levels(both, { allowedRecipients: [] }), [DEV, alice]).kind, 'allow');
    assert.equal(verdict(levels(both, { allowedRecipients: ['#dev'] }), [DEV, alice]).kind, 'deny');
    assert.equal(verdict(levels(both, { allowedRecipients: ['#dev'], send: 'hold' }), [DEV]).kind, 'hold');
  });

  test('allows nothing without a recipient where there is a list', () => {
    assert.equal(verdict(levels({ allowedRecipients: ['#dev'] }), []).kind, 'deny');
    assert.equal(verdict(levels({ send: 'hold' }), []).kind, 'hold');
  });

  test('distinguishes ids that differ only in case', () => {
    assert.equal(bears({ id: '!Room:example.org', name: 'x' }, '!room:example.org'), false);
    assert.equal(bears({ id: 'x', name: 'Caf\u00e9' }, 'CAFE\u0301'), true);
  });
});

function verdict(levels: readonly PolicyLevel[], recipients: readonly Recipient[]) {
  return verdictOn(levels, { through: 'ops', recipients });
}

function levels(...policies: (SendPolicy | undefined)[]): PolicyLevel[] {
  return policies.map((policy, index) => ({ whose: `Level ${index}`, policy }));
}
