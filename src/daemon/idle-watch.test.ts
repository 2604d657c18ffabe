import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { type IdleOptions, watchIdle } from './idle-watch.ts';

function watched(given: Partial<IdleOptions>) {
  const said: string[] = [];
  const stop = watchIdle({
    idleExitMs: 10_000,
    isBusy: () => false,
    place: () => 'home',
    onIdle: () => said.push('idle'),
    onLost: () => said.push('lost'),
    onHomeless: () => said.push('homeless'),
    ...given,
  });
  return { said, stop };
}

describe('watching whether a daemon is needed', () => {
  before(() => mock.timers.enable({ apis: ['setInterval', 'Date'] }));
  after(() => mock.timers.reset());

  test('one that nobody needs ends after its time, and not before', () => {
    const { said, stop } = watched({});

    mock.timers.tick(9_000);
    const early = [...said];
    mock.timers.tick(2_000);
    stop();

    assert.deepEqual([early, said[0]], [[], 'idle']);
  });

  test('the time begins when the last client is gone', () => {
    let busy = true;
    const { said, stop } = watched({ isBusy: () => busy });

    mock.timers.tick(60_000);
    busy = false;
    mock.timers.tick(9_000);
    stop();

    assert.deepEqual(said, []);
  });

  for (const place of ['lost', 'homeless'] as const) {
    test(`one that is ${place} ends at once, whoever is there`, () => {
      const { said, stop } = watched({ isBusy: () => true, place: () => place });

      mock.timers.tick(1_000);
      stop();

      assert.deepEqual(said, [place]);
    });
  }
});
