import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConversationMessage, textBlock } from '../domain/conversation-message.ts';
import { newestThatFit } from './message-page.ts';

const message = (number: number, length: number): ConversationMessage => ({
  id: String(number),
  number,
  role: 'user',
  content: [textBlock('x'.repeat(length))],
  at: 0,
  state: 'complete',
});

const fitting = (...lengths: number[]) =>
  newestThatFit(
    lengths.map((length, index) => message(index + 1, length)),
    ({ content }) => content,
  ).map(({ number }) => number);

test('the newest messages that fit are shown, and always the last one', () => {
  assert.deepEqual(fitting(1, 2, 3), [1, 2, 3]);
  assert.deepEqual(fitting(300_000, 300_000, 100_000), [2, 3]);
  assert.deepEqual(fitting(1, 900_000), [2]);
  assert.deepEqual(fitting(), []);
});
