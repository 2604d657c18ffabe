import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { demoHistory } from './demo.ts';

describe('the demo history', () => {
  test('is in order, ends before now, and has unique message ids', () => {
    const now = Date.UTC(2026, 10, 16);

    const messages = demoHistory(now).flatMap((event) => (event.kind === 'message' ? [event.message] : []));

    const moments = messages.map(({ at }) => at);
    assert.ok(moments.every((at) => at < now));
    assert.deepEqual(
      moments,
      moments.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(messages.map(({ chat, id }) => `${chat.id} ${id}`)).size, messages.length);
    assert.deepEqual(new Set(messages.map(({ chat }) => chat.type)), new Set(['direct', 'group', 'channel']));
  });

  test('has replies to earlier messages of the same chat', () => {
    const messages = demoHistory(0).flatMap((event) => (event.kind === 'message' ? [event.message] : []));

    for (const { chat, replyTo, at } of messages.filter((message) => message.replyTo !== undefined)) {
      const answered = messages.find((other) => other.chat.id === chat.id && other.id === replyTo);
      assert.ok(answered && answered.at < at);
    }
  });
});
