import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { makeRounds } from './rounds.ts';

test('the first event starts a round immediately, and events during a round start one more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { rounds, made, finish } = manualRounds();

  rounds.request();
  t.mock.timers.tick(0);
  rounds.request();
  rounds.request();
  t.mock.timers.tick(1);
  assert.equal(made(), 1);
  await finish();
  t.mock.timers.tick(600);

  assert.equal(made(), 2);
});

test('a continuous burst does not delay the next round', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { rounds, made, finish } = manualRounds();
  rounds.request();
  t.mock.timers.tick(0);
  await finish();

  for (let at = 0; at < 10; at += 1) {
    rounds.request();
    t.mock.timers.tick(100);
  }

  assert.ok(made() >= 2);
});

test('the next round runs after the delay that the last one returned', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { rounds, made, finish } = manualRounds(60_000);
  rounds.request();
  t.mock.timers.tick(0);
  await finish();

  t.mock.timers.tick(50_000);
  assert.equal(made(), 1);
  t.mock.timers.tick(11_000);

  assert.equal(made(), 2);
});

test('stopping waits for the running round and starts no other', async () => {
  const { rounds, made, finish } = manualRounds(1);
  rounds.request();
  while (made() === 0) await new Promise(setImmediate);

  const stopped = rounds.stop();
  rounds.request();
  await finish();
  await stopped;

  assert.equal(made(), 1);
});

/** Rounds that the test ends. */
function manualRounds(againInMs = 60_000) {
  let count = 0;
  const ends = new EventTarget();
  const rounds = makeRounds(async () => {
    count += 1;
    await once(ends, 'end');
    return { againInMs };
  });
  return {
    rounds,
    made: () => count,
    async finish() {
      ends.dispatchEvent(new Event('end'));
      await new Promise(setImmediate);
    },
  };
}
