import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messageOf } from '../../tests/support/chat/fake-network.ts';
import { clampTimestamps } from './timestamps.ts';

const NOW = Date.UTC(2026, 10, 16);

describe('the timestamp of a message', () => {
  test('is unchanged, even if a clock is slightly ahead', () => {
    const events = [messageOf('old', 0), messageOf('now', NOW), messageOf('ahead', NOW + 60_000)];

    assert.equal(clampTimestamps(events, NOW), events);
  });

  test('in the future is replaced by the current time', () => {
    const events = [messageOf('old', 5), messageOf('year 9999', Date.UTC(9999, 0, 1))];

    const moments = clampTimestamps(events, NOW).map((event) => event.kind === 'message' && event.message.at);

    assert.deepEqual(moments, [5, NOW]);
  });
});
