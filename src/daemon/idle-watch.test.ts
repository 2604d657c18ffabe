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

describe('the idle watch of a daemon', () => {
  before(() => mock.timers.enable({ apis: ['setInterval', 'Date'] }));
  after(() => mock.timers.reset());

  test('ends an unused daemon after the idle timeout, and not before', () => {
    const { said, stop } = watched({});

    mock.timers.tick(9_000);
    const early = [...said];
    mock.timers.tick(2_000);
    stop();

    assert.deepEqual([early, said[0]], [[], 'idle']);
  });

  test('starts the timeout when the last client disconnects', () => {
    let busy = true;
    const { said, stop } = watched({ isBusy: () => busy });

    mock.timers.tick(60_000);
    busy = false;
    mock.timers.tick(9_000);
    stop();

    assert.deepEqual(said, []);
  });

  for (const place of ['lost', 'homeless'] as const) {
    test(`a daemon that is ${place} ends immediately, even with clients connected`, () => {
      const { said, stop } = watched({ isBusy: () => true, place: () => place });

      mock.timers.tick(1_000);
      stop();

      assert.deepEqual(said, [place]);
    });
  }
});
