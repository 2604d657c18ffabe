import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRunningState } from './running-state.ts';

describe('the state of a running process', () => {
  test('counts connected clients without a session, and those of recent requests once', () => {
    let now = 0;
    let hasSession = false;
    const state = createRunningState({ now: () => now });
    const disconnect = state.connected(() => hasSession);
    state.requested('a');
    state.requested('a');
    state.requested('b');

    const before = state.clientsWithoutSession();
    hasSession = true;
    const withSession = state.clientsWithoutSession();
    hasSession = false;
    disconnect();
    now = 6 * 60_000;
    const later = state.clientsWithoutSession();

    assert.deepEqual([before, withSession, later], [3, 2, 0]);
  });

  test('attack: names that a client makes up for each request take no more memory', () => {
    const state = createRunningState({ now: () => 0 });

    for (let count = 0; count < 5_000; count += 1) state.requested(`client ${count}`);

    assert.equal(state.clientsWithoutSession(), 1_000);
  });

  test('keeps the problem of a configuration on one line, until there is none', () => {
    const state = createRunningState({ now: () => 0 });

    state.noteConfig('The configuration is not valid:\n  auth.x: is not a known key');
    const noted = state.configProblem();
    state.noteConfig(undefined);

    assert.equal(noted, 'The configuration is not valid: auth.x: is not a known key');
    assert.equal(state.configProblem(), undefined);
  });
});
