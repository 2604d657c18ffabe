import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outboxRetention } from './retention.ts';

const DAY = 24 * 60 * 60 * 1000;

test('the content of a sent item is deleted after the configured time, its idempotency key a year later', async () => {
  const asked: number[] = [];
  const forget = async ({ content, rows }: { content: number; rows: number }) => {
    asked.push(content / DAY, rows / DAY);
    return { emptied: 2, gone: 3 };
  };
  const settings = async () => ({ policy: { send: 'allow' as const, ask_in_client: false, keep_sent_days: 7 } });

  const forgotten = await outboxRetention({ forget }, settings).forget(1_000 * DAY);

  assert.equal(forgotten, 5);
  assert.deepEqual(asked, [993, 628]);
});
