import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type SendRule, verdictOn } from './policy.ts';
import { describeReads, MANY_CHATS, type ReadChat, readElsewhere } from './read-chats.ts';

const AT = Date.UTC(2026, 10, 17, 10, 2);
const OPS: ReadChat = { source: 'libera', chat: '#ops', name: '#ops', at: AT };
const to = (...ids: string[]) => ({ through: 'libera', recipients: ids.map((id) => ({ id, name: id })) });

describe('what a session has read', () => {
  test('counts unless it is the chat that gets the answer', () => {
    assert.deepEqual(readElsewhere([OPS], to('#ops')), []);
    assert.deepEqual(readElsewhere([OPS], to('alice')), [OPS]);
    assert.deepEqual(readElsewhere([OPS], { ...to('#ops'), through: 'oftc' }), [OPS]);
    assert.deepEqual(readElsewhere([OPS], to()), [OPS]);
    assert.deepEqual(readElsewhere([OPS], to('#ops', 'alice')), [OPS]);
    assert.deepEqual(readElsewhere([OPS], { ...to('alice', 'bob'), answers: '#ops' }), []);
    assert.deepEqual(readElsewhere([OPS], { ...to('alice'), answers: '#dev' }), [OPS]);
  });

  test('is answered in at most one chat', () => {
    const chat = fc.constantFrom('#ops', '#dev', 'alice', MANY_CHATS.chat);
    const source = fc.constantFrom('libera', 'oftc', MANY_CHATS.source);
    const reads = fc.array(fc.record({ source, chat, name: fc.string(), at: fc.integer() }), { minLength: 1 });
    fc.assert(
      fc.property(reads, chat, (read, recipient) => {
        const isAnswer = readElsewhere(read, to(recipient)).length === 0;
        assert.equal(
          isAnswer,
          read.every((one) => one.source === 'libera' && one.chat === recipient),
        );
      }),
    );
  });

  test('is described by chat, source and time', () => {
    const later = { ...OPS, chat: 'C1', name: 'Boss: wire the money now', at: AT + 60_000 };
    const many = { ...MANY_CHATS, at: AT };

    assert.equal(describeReads([OPS]), 'read #ops of libera at 10:02 UTC');
    assert.equal(describeReads([OPS], AT + 25 * 3_600_000), 'read #ops of libera at 10:02 UTC on 2026-11-17');
    assert.equal(describeReads([OPS, later]), 'read #ops of libera at 10:02 UTC, read C1 of libera at 10:03 UTC');
    assert.equal(describeReads([many]), 'read more than 50 chats at 10:02 UTC');
    assert.match(describeReads([OPS, OPS, OPS, OPS]), /, read 1 more chat$/);
  });

  test('never puts a sentence of another user into our text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, chat) => {
        assert.match(
          describeReads([{ ...OPS, name, chat }]),
          /^read (?:[^\s"']{1,40}|a chat) of libera at 10:02 UTC$/u,
        );
      }),
    );
  });
});

describe('a careful policy', () => {
  const verdict = (rules: readonly SendRule[], reads?: readonly ReadChat[]) =>
    verdictOn(
      rules.map((send) => ({ whose: 'The policy', policy: { send } })),
      { ...to('alice'), reads },
    ).kind;

  test('holds only after reading, and is weaker than hold and deny', () => {
    assert.deepEqual(
      [verdict(['careful']), verdict(['careful'], []), verdict(['careful'], [OPS]), verdict(['allow'], [OPS])],
      ['allow', 'allow', 'hold', 'allow'],
    );
    assert.deepEqual([verdict(['allow', 'careful'], [OPS]), verdict(['careful', 'deny'], [OPS])], ['hold', 'deny']);
    assert.deepEqual(
      verdictOn([{ whose: 'The policy', policy: { send: 'careful' } }], { ...to('alice'), reads: [OPS] }),
      {
        kind: 'hold',
        reason: 'The policy is careful: this session read #ops of libera at 10:02 UTC.',
        because: [OPS],
      },
    );
  });
});
