import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bears, type Leave, type PolicyLevel, type SendPolicy, verdictOn } from './policy.ts';

const DEV = { source: 'ops', id: '#dev', name: 'Dev Room' };
const LEAVES: Leave[] = ['allow', 'hold', 'deny'];

describe('the policy for whatever leaves', () => {
  test('lets everything leave where nobody says otherwise', () => {
    assert.deepEqual(verdictOn([], [DEV]), { kind: 'allow' });
    assert.deepEqual(verdictOn(levels({}, undefined, {}), [DEV]), { kind: 'allow' });
  });

  test('is as strict as its strictest level, whichever that is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Leave | undefined>(undefined, ...LEAVES)), (said) => {
        const verdict = verdictOn(levels(...said.map((send) => ({ send }))), [DEV]);

        assert.equal(verdict.kind, LEAVES.findLast((leave) => said.includes(leave)) ?? 'allow');
      }),
    );
  });

  test('says whose word holds', () => {
    assert.deepEqual(verdictOn(levels({ send: 'allow' }, { send: 'hold' }), [DEV]), {
      kind: 'hold',
      reason: 'Level 1 asks for a person’s approval.',
    });
    assert.deepEqual(verdictOn(levels({ send: 'deny' }, { send: 'hold' }), [DEV]), {
      kind: 'deny',
      reason: 'Level 0 lets nothing leave.',
    });
    assert.deepEqual(verdictOn(levels({}, { allowedRecipients: ['#ops'] }), [DEV]), {
      kind: 'deny',
      reason: 'Level 1 does not allow this recipient.',
    });
  });

  test('finds a recipient by its id to the letter, or by its whole name in any case', () => {
    const allowed = ['#dev', 'dev room', 'DEV ROOM', 'ops:#dev', 'ops:Dev Room'];
    const others = ['#Dev', 'dev', 'Dev Room 2', ' Dev Room', 'other:#dev', 'ops:', 'ops:*', '*', ''];

    const verdict = (recipient: string) => verdictOn(levels({ allowedRecipients: [recipient] }), [DEV]).kind;

    assert.deepEqual(allowed.map(verdict), Array(allowed.length).fill('allow'));
    assert.deepEqual(others.map(verdict), Array(others.length).fill('deny'));
  });

  test('asks each level for each recipient, and an empty list for none', () => {
    const alice = { source: 'work', id: 'alice@example.org', name: 'alice@example.org' };
    const both = { allowedRecipients: ['#dev', 'Alice@Example.org'] };

    assert.equal(verdictOn(levels(both, { allowedRecipients: [] }), [DEV, alice]).kind, 'allow');
    assert.equal(verdictOn(levels(both, { allowedRecipients: ['#dev'] }), [DEV, alice]).kind, 'deny');
    assert.equal(verdictOn(levels(both, { allowedRecipients: ['#dev'], send: 'hold' }), [DEV]).kind, 'hold');
  });

  test('takes two ids that differ in case alone for two', () => {
    assert.equal(bears({ id: '!Room:example.org', name: 'x' }, '!room:example.org'), false);
    assert.equal(bears({ id: 'x', name: 'Caf\u00e9' }, 'CAFE\u0301'), true);
  });
});

function levels(...policies: (SendPolicy | undefined)[]): PolicyLevel[] {
  return policies.map((policy, index) => ({ whose: `Level ${index}`, policy }));
}
