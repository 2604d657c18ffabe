import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateEvents } from './state-events.ts';

test('events of a server say what happened, and nothing that the server printed', () => {
  const problem = { code: 'SERVICE_UNAVAILABLE', message: 'It ended.', output: 'words of the server' } as const;

  const events = stateEvents([
    { type: 'ServerStarting' },
    { type: 'ServerRunning', at: 5, failures: 0 },
    { type: 'ServerFailed', problem, failures: 2, retryAt: 1_000 },
    { type: 'ServerFailed', problem, failures: 8 },
    { type: 'ServerStopped', byHand: true },
    { type: 'ServerDisabled' },
    { type: 'ServerEnabled' },
  ]);

  assert.deepEqual(events, [
    { type: 'server.starting', data: {} },
    { type: 'server.running', data: {} },
    {
      type: 'server.error',
      data: { code: problem.code, message: 'It ended.', failures: 2, retry_at: '1970-01-01T00:00:01.000Z' },
    },
    { type: 'server.error', data: { code: problem.code, message: 'It ended.', failures: 8 } },
    { type: 'server.stopped', data: { by_hand: true } },
    { type: 'server.disabled', data: {} },
    { type: 'server.enabled', data: {} },
  ]);
});
