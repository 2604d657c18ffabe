import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { FindNamed } from './chat-entry.ts';
import { type PolicyLevel, type Recipient, type SendPolicy, type SendRule, verdictOn, withIds } from './policy.ts';

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

  test('compares ids only, and exactly: a name that is the id of an allowed chat allows nothing', () => {
    const allowed = ['#dev', 'ops:#dev'];
    const others = ['#Dev', 'Dev Room', 'ops:Dev Room', 'name:Dev Room', 'name:#dev', 'other:#dev', 'ops:*', '*', ''];
    const partner = { id: 'mallory', name: '#dev' };

    const verdictWith = (recipient: string) => verdict(levels({ allowedRecipients: [recipient] }), [DEV]).kind;

    assert.deepEqual(allowed.map(verdictWith), Array(allowed.length).fill('allow'));
    assert.deepEqual(others.map(verdictWith), Array(others.length).fill('deny'));
    assert.equal(verdict(levels({ allowedRecipients: allowed }), [partner]).kind, 'deny');
  });

  test('allows by name only the one chat that bears it', async () => {
    const chats = [
      { source: 'ops', id: '#dev', name: 'dev room' },
      { source: 'ops', id: '#a', name: 'twice' },
      { source: 'ops', id: '#b', name: 'twice' },
      { source: 'ops', id: '#c', name: 'here and there' },
      { source: 'other', id: '#d', name: 'here and there' },
      { source: 'ops', id: 'name:odd', name: 'odd' },
      { source: 'ops', id: 'ops:#secret', name: 'sly' },
    ];
    const find: FindNamed = async (name, source) =>
      chats.filter((chat) => chat.name === name.toLowerCase() && (source ?? chat.source) === chat.source);
    const allows = async (entry: string, id: string) => {
      const policy = await withIds({ allowedRecipients: [entry] }, 'ops', find);
      return verdict(levels(policy), [{ id, name: 'anything' }]).kind === 'allow';
    };

    assert.ok(await allows('name:Dev Room', '#dev'));
    assert.ok(await allows('name:sly', 'ops:#secret'));
    assert.ok(!(await allows('name:sly', '#secret')), 'an id that looks like an entry allows no other chat');
    assert.ok(await allows('ops:name: Dev Room', '#dev'));
    assert.ok(await allows('ops:name:here and there', '#c'));
    for (const [entry, id] of [
      ['name:twice', '#a'],
      ['name:twice', '#b'],
      ['name:here and there', '#c'],
      ['other:name:here and there', '#c'],
      ['name:nobody', '#dev'],
      ['name:', '#dev'],
      ['ops:name:odd', 'name:odd'],
      ['name:odd', 'name:odd'],
    ] as const) {
      assert.equal(await allows(entry, id), false, entry);
    }
  });

  test('checks each recipient against each list; an empty list allows every recipient', () => {
    const alice = { id: 'alice@example.org', name: 'alice@example.org' };
    const both = { allowedRecipients: ['#dev', 'alice@example.org'] };

    assert.equal(verdict(levels(both, { allowedRecipients: [] }), [DEV, alice]).kind, 'allow');
    assert.equal(verdict(levels(both, { allowedRecipients: ['#dev'] }), [DEV, alice]).kind, 'deny');
    assert.equal(verdict(levels(both, { allowedRecipients: ['#dev'], send: 'hold' }), [DEV]).kind, 'hold');
  });

  test('allows nothing without a recipient where there is a list', () => {
    assert.equal(verdict(levels({ allowedRecipients: ['#dev'] }), []).kind, 'deny');
    assert.equal(verdict(levels({ send: 'hold' }), []).kind, 'hold');
  });
});

function verdict(levels: readonly PolicyLevel[], recipients: readonly Recipient[]) {
  return verdictOn(levels, { through: 'ops', recipients });
}

function levels(...policies: (SendPolicy | undefined)[]): PolicyLevel[] {
  return policies.map((policy, index) => ({ whose: `Level ${index}`, policy }));
}
