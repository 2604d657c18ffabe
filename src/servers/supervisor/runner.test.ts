import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { serverConfig } from '../../../tests/support/servers/process-config.ts';
import type { PackageType } from '../../domain/server-config.ts';
import { MAX_FAILURES, type ServerEvent, type ServerProblem } from '../../domain/server-state.ts';
import { createRunner } from './runner.ts';
import { type ServerConnection, StartFailure } from './server-connection.ts';

const ENDED: ServerProblem = { code: 'SERVICE_UNAVAILABLE', message: 'It ended.' };

/** A server without a process: the test decides how each start goes. */
function fakeServer(
  context: TestContext,
  type: PackageType = 'npm',
  enabled = true,
  close: () => Promise<void> = async () => {},
) {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const config = serverConfig({ package: { type, identifier: 'acme' }, enabled });
  const starts: { made(): ServerConnection; fails(problem?: ServerProblem): void; signal: AbortSignal }[] = [];
  const ends: ((problem: ServerProblem) => void)[] = [];
  const happened: ServerEvent['type'][] = [];
  let closed = 0;
  const runner = createRunner(
    {
      config: () => config,
      clock: { now: () => Date.now() },
      onChange: (events) => void happened.push(...events.map(({ type: kind }) => kind)),
      connect(signal) {
        const { promise, resolve, reject } = Promise.withResolvers<ServerConnection>();
        starts.push({
          signal,
          made() {
            const ended = Promise.withResolvers<ServerProblem>();
            ends.push(ended.resolve);
            const connection = {
              upstream: {} as ServerConnection['upstream'],
              pid: 1,
              ended: ended.promise,
              async close() {
                closed += 1;
                await close();
              },
            };
            resolve(connection);
            return connection;
          },
          fails: (problem = ENDED) => reject(new StartFailure(problem)),
        });
        return promise;
      },
    },
    { stoppedByHand: false },
  );
  return { runner, starts, ends, happened, closed: () => closed };
}

/** Lets everything happen that waits for nothing but promises. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a runner', () => {
  test('HOST-04 starts a server once for all who wait for it', async (context) => {
    const { runner, starts, happened } = fakeServer(context);
    const both = Promise.all([runner.start(), runner.start()]);
    await settled();

    const connection = starts[0]?.made();
    const started = await both;

    assert.equal(starts.length, 1);
    assert.deepEqual(started, [connection, connection]);
    assert.deepEqual(happened, ['ServerStarting', 'ServerRunning']);
    assert.equal(runner.connection(), connection);
  });

  test('HOST-10 starts it again when it has ended, after its rest was ended', async (context) => {
    const { runner, starts, ends, closed } = fakeServer(context);
    const first = runner.start();
    await settled();
    starts[0]?.made();
    await first;

    ends[0]?.(ENDED);
    await settled();
    const failed = runner.state();
    context.mock.timers.tick(700);
    await settled();
    starts[1]?.made();
    await settled();

    assert.partialDeepStrictEqual(failed, { state: 'error', problem: ENDED, failures: 1 });
    assert.equal(closed(), 1);
    assert.equal(runner.state().state, 'running');
  });

  test('HOST-06 stays stopped when it is stopped while its start waits for the end of what crashed', async (context) => {
    const closing = Promise.withResolvers<void>();
    const { runner, starts, ends } = fakeServer(context, 'npm', true, () => closing.promise);
    const first = runner.start();
    await settled();
    starts[0]?.made();
    await first;
    ends[0]?.(ENDED);
    await settled();

    const waiting = runner.start();
    const stopped = runner.stop(true);
    closing.resolve();
    await assert.rejects(waiting, { code: 'CONFLICT' });
    await stopped;
    await settled();

    assert.deepEqual(runner.state(), { state: 'stopped', byHand: true });
    assert.equal(starts.length, 1);
  });

  test('stays stopped when it is stopped while it is restarted', async (context) => {
    const { runner, starts } = fakeServer(context);
    const first = runner.start();
    await settled();
    starts[0]?.made();
    await first;

    await Promise.all([runner.restart(), runner.stop(true)]);
    await settled();

    assert.deepEqual(runner.state(), { state: 'stopped', byHand: true });
    assert.equal(starts.length, 1);
  });

  test('is not started again after it was closed', async (context) => {
    const { runner, starts } = fakeServer(context);

    await runner.close(true);
    await assert.rejects(runner.start(), { code: 'CONFLICT' });

    assert.equal(starts.length, 0);
  });

  test('waits longer after each failure, and parks the server after many', async (context) => {
    const { runner, starts } = fakeServer(context);
    const delays: number[] = [];
    void runner.start().catch(() => {});

    for (let failure = 1; failure <= MAX_FAILURES; failure += 1) {
      await settled();
      starts.at(-1)?.fails();
      await settled();
      const state = runner.state();
      assert.equal(state.state, 'error');
      if (state.state === 'error' && state.retryAt !== undefined) {
        delays.push(state.retryAt - Date.now());
        context.mock.timers.tick(state.retryAt - Date.now() + 1);
      }
    }
    context.mock.timers.tick(24 * 60 * 60_000);
    await settled();

    const base = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
    assert.equal(delays.length, base.length);
    for (const [index, delay] of delays.entries()) {
      const middle = base[index] ?? 0;
      assert.ok(delay >= 0.75 * middle && delay <= 1.25 * middle, `${delay} instead of ${middle}`);
    }
    assert.equal(starts.length, MAX_FAILURES);
  });

  test('does not repeat what cannot succeed, until something has changed', async (context) => {
    const { runner, starts } = fakeServer(context);
    const refused = assert.rejects(runner.start(), { code: 'NOT_FOUND', message: 'Package not found' });
    await settled();
    starts[0]?.fails({ code: 'NOT_FOUND', message: 'Package not found', isFinal: true });

    await refused;
    context.mock.timers.tick(24 * 60 * 60_000);
    await settled();
    const tried = starts.length;
    runner.reset();
    await settled();

    assert.deepEqual([tried, starts.length, runner.state().state], [1, 2, 'starting']);
  });

  test('HOST-06 stops a server that is starting: the start is aborted, and its process ended', async (context) => {
    const { runner, starts, closed, happened } = fakeServer(context);
    const refused = assert.rejects(runner.start(), { code: 'CONFLICT' });
    await settled();

    const stopped = runner.stop(true);
    const isAborted = starts[0]?.signal.aborted;
    starts[0]?.made();
    await stopped;

    assert.equal(isAborted, true);
    await refused;
    assert.equal(closed(), 1);
    assert.deepEqual(runner.state(), { state: 'stopped', byHand: true });
    assert.deepEqual(happened, ['ServerStarting', 'ServerStopped']);
  });

  test('HOST-15 MC-NT1 does not start a disabled server', async (context) => {
    const { runner, starts, happened } = fakeServer(context, 'npm', false);

    await assert.rejects(runner.start(), { code: 'CONFLICT' });

    assert.deepEqual([starts.length, happened, runner.state()], [0, [], { state: 'disabled' }]);
  });

  test('stopping cancels the next attempt; a late end of the old connection changes nothing', async (context) => {
    const { runner, starts, ends } = fakeServer(context);
    const first = runner.start();
    await settled();
    starts[0]?.made();
    await first;
    await runner.stop(false);
    const again = runner.start();
    await settled();
    starts[1]?.made();
    await again;

    ends[0]?.(ENDED);
    await settled();
    const state = runner.state().state;
    ends[1]?.(ENDED);
    await settled();
    await runner.stop(true);
    context.mock.timers.tick(24 * 60 * 60_000);
    await settled();

    assert.equal(state, 'running');
    assert.equal(starts.length, 2);
  });

  test('a remote server is tried for ever, at least every few minutes', async (context) => {
    const { runner, starts } = fakeServer(context, 'http');
    void runner.start().catch(() => {});

    for (let failure = 1; failure <= 20; failure += 1) {
      await settled();
      starts.at(-1)?.fails();
      await settled();
      context.mock.timers.tick(400_000);
    }
    await settled();

    assert.equal(starts.length, 21);
  });
});
