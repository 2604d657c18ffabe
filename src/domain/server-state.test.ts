import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from './errors.ts';
import { decide, evolve, MAX_FAILURES, restingState, type ServerCommand, type ServerState } from './server-state.ts';

const problem = { code: 'SERVICE_UNAVAILABLE', message: 'It ended.' } as const;
const fail = { kind: 'fail', problem, delayMs: (failures: number) => failures * 100, parks: true } as const;
const stopped: ServerState = { state: 'stopped', byHand: false };

describe('the state of a server', () => {
  test('HOST-02 goes from stopped over starting to running, and back', () => {
    const running = after(stopped, [{ kind: 'start' }, { kind: 'started' }], 5);

    const ended = after(running, [{ kind: 'stop', byHand: true }]);

    assert.deepEqual(running, { state: 'running', since: 5, failures: 0 });
    assert.deepEqual(ended, { state: 'stopped', byHand: true });
  });

  test('HOST-15 MC-NT1 a disabled server cannot be started, and stays disabled', () => {
    assert.throws(
      () => decide({ state: 'disabled' }, { kind: 'start' }, 0),
      (error) => error instanceof AppError && error.code === 'CONFLICT',
    );
  });

  test('HOST-10 a failure is an error with the next attempt, each later than the one before', () => {
    const once = after(stopped, [{ kind: 'start' }, fail], 1_000);
    const twice = after(once, [{ kind: 'start' }, fail], 2_000);

    assert.deepEqual(once, { state: 'error', problem, failures: 1, retryAt: 1_100 });
    assert.deepEqual(twice, { state: 'error', problem, failures: 2, retryAt: 2_200 });
  });

  test('a crash loop ends: the server is parked with the reason', () => {
    const cycles = Array.from({ length: MAX_FAILURES }, () => [{ kind: 'start' } as const, fail]).flat();

    const parked = after(stopped, cycles);

    assert.equal(parked.state === 'error' && parked.retryAt, undefined);
    assert.match((parked.state === 'error' && parked.problem.hint) || '', /8 times in a row/);
  });

  test('a remote server is tried for ever', () => {
    const cycles = Array.from({ length: 50 }, () => [{ kind: 'start' } as const, { ...fail, parks: false }]).flat();

    const waiting = after(stopped, cycles);

    assert.equal(waiting.state === 'error' && waiting.retryAt, 5_000);
  });

  test('failures count from the beginning after a server ran for a minute', () => {
    const looping = after(
      stopped,
      [{ kind: 'start' }, fail, { kind: 'start' }, fail, { kind: 'start' }, { kind: 'started' }],
      0,
    );

    const again = after(looping, [fail], 60_000);

    assert.equal(again.state === 'error' && again.failures, 1);
  });

  test('what starting again cannot fix is not tried again until something changes', () => {
    const isFinal = { ...fail, problem: { ...problem, isFinal: true } };

    const parked = after(stopped, [{ kind: 'start' }, isFinal]);
    const changed = after(parked, [{ kind: 'reset' }]);

    assert.equal(parked.state === 'error' && 'retryAt' in parked, false);
    assert.deepEqual(changed, stopped);
  });

  test('commands that mean nothing in a state change nothing', () => {
    const running: ServerState = { state: 'running', since: 0, failures: 0 };

    assert.deepEqual(decide(running, { kind: 'start' }, 0), []);
    assert.deepEqual(decide(stopped, { kind: 'started' }, 0), []);
    assert.deepEqual(decide(stopped, fail, 0), []);
    assert.deepEqual(decide(stopped, { kind: 'stop', byHand: false }, 0), []);
    assert.deepEqual(decide({ state: 'disabled' }, { kind: 'stop', byHand: true }, 0), []);
    assert.deepEqual(decide(stopped, { kind: 'enable' }, 0), []);
    assert.deepEqual(decide({ state: 'disabled' }, { kind: 'disable' }, 0), []);
    assert.deepEqual(decide(running, { kind: 'reset' }, 0), []);
  });

  test('HOST-19 enabling leads to stopped, disabling from anywhere to disabled', () => {
    assert.deepEqual(after({ state: 'disabled' }, [{ kind: 'enable' }]), stopped);
    assert.deepEqual(after({ state: 'starting', failures: 0 }, [{ kind: 'disable' }]), { state: 'disabled' });
    assert.deepEqual(restingState({ enabled: false, stoppedByHand: true }), { state: 'disabled' });
    assert.deepEqual(restingState({ enabled: true, stoppedByHand: true }), { state: 'stopped', byHand: true });
  });
});

function after(state: ServerState, commands: readonly ServerCommand[], now = 0): ServerState {
  return commands.reduce((before, command) => decide(before, command, now).reduce(evolve, before), state);
}
