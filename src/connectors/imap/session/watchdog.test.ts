import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startWatchdog } from './watchdog.ts';

test('a server that owes an answer and sends nothing is given up', (context) => {
  const { state, tick } = watched(context);
  state.isWaiting = true;

  tick(1_300);

  assert.deepEqual([state.givenUp, state.greetings], [true, 0]);
});

test('a server that sends something is not', (context) => {
  const { state, tick } = watched(context);
  state.isWaiting = true;

  for (let second = 0; second < 5; second += 1) {
    tick(900);
    state.received += 1;
    tick(100);
  }

  assert.equal(state.givenUp, false);
});

test('a server that owes nothing is greeted, and its time begins with that', (context) => {
  const { state, tick } = watched(context);
  tick(10_000);
  const { greetings } = state;
  state.isWaiting = true;

  tick(900);

  assert.ok(greetings > 0);
  assert.equal(state.givenUp, false);
  tick(400);
  assert.equal(state.givenUp, true);
});

/** A watchdog for one second of silence. */
function watched(context: TestContext) {
  context.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const state = { received: 0, isWaiting: false, greetings: 0, givenUp: false };
  const stop = startWatchdog(1_000, {
    received: () => state.received,
    isWaiting: () => state.isWaiting,
    greet: () => {
      state.greetings += 1;
    },
    giveUp: () => {
      state.givenUp = true;
    },
  });
  context.after(stop);
  const tick = (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 50) {
      now += 50;
      context.mock.timers.tick(50);
    }
  };
  return { state, tick };
}
