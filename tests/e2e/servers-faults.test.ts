import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { daemonStatus, isAlive, until } from '../support/mcp/shim-program.ts';
import {
  faultyServer,
  linesIn,
  nodeServer,
  type RestAnswer,
  serverProcesses,
  startServerHome,
} from '../support/servers/server-home.ts';

const CANARY = 'a-canary-in-the-words-of-a-server';
const MEGABYTE = 1_048_576;
const home = await startServerHome(after, {
  configuration: { servers: { stop_timeout_ms: 1_000, ping_interval_ms: 1_000, ping_timeout_ms: 1_000 } },
});
const daemon = (await daemonStatus(home.home)).pid;
await home.run(faultyServer('well'));

const pidOf = async (id: string) => Number((await home.status(id)).pid);
const remove = (id: string) => home.rest('DELETE', `/servers/${id}`);
const tailOf = ({ body }: RestAnswer) => (body.error?.upstream as JsonObject | undefined)?.stderr_tail;
const callsOf = (dir: string) => linesIn(dir, 'calls');

/** Memory of the daemon, in bytes. */
function memory(): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

const offeredNames = async () => home.offered(await home.session());

describe('a server that ends', () => {
  test('HOST-10 killed in a call: the caller learns who, how and its last words; it is back, and nothing is repeated', async () => {
    const dir = home.dir('killed');
    await home.run(faultyServer('killed', { dir, env_vars: { API_TOKEN: CANARY } }));
    await home.call('killed', 'die', { words: 'never mind' });
    const status = await home.reached('killed', 'running');
    const pending = home.call('killed', 'never');
    await until('the call runs', () => callsOf(dir).includes('never'));

    process.kill(Number(status.pid), 'SIGKILL');
    const killed = await pending;
    await home.reached('killed', 'running');
    const own = await home.call('killed', 'die', { words: `fatal: ${CANARY} is wrong` });
    const seen = await home.reached('killed', 'running');
    const next = await home.text('killed', 'echo', { text: 'back' });
    await remove('killed');

    assert.equal(killed.status, 503);
    assert.partialDeepStrictEqual(killed.body.error, {
      code: 'SERVICE_UNAVAILABLE',
      message: "Server 'killed' ended by signal SIGKILL. The call was not repeated.",
    });
    assert.equal(tailOf(killed), undefined, 'the words of an earlier process are not its own');
    assert.match(String(tailOf(own)), /^fatal: .* is wrong$/m);
    assert.doesNotMatch(JSON.stringify(own.body), /canary/);
    assert.notEqual(seen.pid, status.pid);
    assert.equal(next, 'back');
    assert.deepEqual(callsOf(dir), ['die', 'never', 'die', 'echo']);
  });

  test('HOST-10 again and again: it is parked with its reason, and runs when that is gone', async () => {
    await home.add(nodeServer('looping', 'process-failing.mjs'));
    let parked = await home.reached('looping', 'error');
    // Starts by hand count like those after a delay, which grows up to half a minute.
    await until('it is parked', async () => {
      await home.rest('POST', '/servers/looping/start');
      parked = await home.reached('looping', 'error');
      return parked.retry_at === undefined;
    });
    const called = await home.call('looping', 'anything');
    const shown = await home.command('servers', 'show', 'looping');
    const { args = [] } = faultyServer('looping') as { args?: string[] };
    await home.rest('PUT', '/servers/looping', { args });
    const { body: started } = await home.rest('POST', '/servers/looping/start');
    const repaired = await home.reached('looping', 'running');
    await remove('looping');

    assert.match(String(parked.message), /ended with exit code 3/);
    assert.match(String(parked.hint), /^It failed 8 times in a row and is not started again by itself/);
    assert.match(String(tailOf(called)), /fatal: GITHUB_TOKEN is not set/);
    assert.match(shown.stdout, /It failed 8 times in a row/);
    assert.doesNotMatch(shown.stdout, /Next attempt at/);
    assert.equal(started.error, undefined);
    assert.equal(repaired.retry_at, undefined);
  });

  test('HOST-09 at once: what it printed reaches the user, and the next attempt is visible', async () => {
    await home.add(nodeServer('tokenless', 'process-failing.mjs'));
    const status = await home.reached('tokenless', 'error');
    const started = await home.rest('POST', '/servers/tokenless/start');
    const called = await home.call('tokenless', 'anything');
    let shown = '';
    // In between it is started again.
    await until('the error is shown', async () => {
      shown = (await home.command('servers', 'show', 'tokenless')).stdout;
      return shown.includes('Next attempt at');
    });
    const logs = await home.command('servers', 'logs', 'tokenless');
    await remove('tokenless');

    for (const answer of [started, called]) {
      assert.partialDeepStrictEqual(answer.body.error, {
        code: 'SERVICE_UNAVAILABLE',
        message: "Server 'tokenless' ended with exit code 3.",
      });
      assert.match(String(tailOf(answer)), /fatal: GITHUB_TOKEN is not set/);
    }
    assert.match(String(status.retry_at), /^\d{4}-\d\d-\d\dT/);
    assert.match(shown, /fatal: GITHUB_TOKEN is not set/);
    assert.match(logs.stdout, /fatal: GITHUB_TOKEN is not set/);
  });

  test('twice, and then runs: it is started until it does', async () => {
    const dir = home.dir('flaky');
    await home.add(faultyServer('flaky', { dir, fault: 'flaky' }));

    await home.reached('flaky', 'running');
    const echoed = await home.text('flaky', 'echo', { text: 'at last' });
    await remove('flaky');

    assert.equal(echoed, 'at last');
    assert.equal(linesIn(dir, 'starts').length, 3);
  });

  test('in calls of several clients: each of them fails, each once', async () => {
    const dir = home.dir('shared');
    await home.run(faultyServer('shared', { dir }));
    const pid = await pidOf('shared');
    const pending = Array.from({ length: 5 }, () => home.call('shared', 'never'));
    await until('all calls run', () => callsOf(dir).length === 5);

    process.kill(pid, 'SIGKILL');
    const answers = await Promise.all(pending);
    await home.reached('shared', 'running');
    await remove('shared');

    assert.deepEqual(
      answers.map(({ body }) => body.error?.code),
      Array.from({ length: 5 }, () => 'SERVICE_UNAVAILABLE'),
    );
    assert.equal(callsOf(dir).length, 5);
  });
});

describe('a server that does not answer', () => {
  test('HOST-09 in the handshake: that is a timeout, and its process is ended', async () => {
    const dir = home.dir('hanging');
    await home.add(faultyServer('hanging', { dir, fault: 'hang', handshake_timeout_ms: 500 }));

    const during = await home.text('well', 'echo', { text: 'meanwhile' });
    const status = await home.reached('hanging', 'error');
    const [pid] = linesIn(dir, 'starts').map(Number);
    await remove('hanging');

    assert.equal(during, 'meanwhile');
    assert.partialDeepStrictEqual(status, { code: 'NETWORK_ERROR', message: 'Handshake timed out' });
    assert.equal(isAlive(pid ?? 0), false);
  });

  test('HOST-10 in a call: NETWORK_ERROR, it stays running, and progress begins the time anew', async () => {
    const dir = home.dir('silent');
    await home.run(faultyServer('silent', { dir, call_timeout_ms: 1_000 }));
    const pid = await pidOf('silent');

    const [never, other, own] = await Promise.all([
      home.call('silent', 'never'),
      home.text('well', 'echo', { text: 'unaffected' }),
      home.text('silent', 'echo', { text: 'beside it' }),
    ]);
    const progress = await home.call('silent', 'progress', { times: 6, ms: 300 });
    const after = await home.status('silent');
    await remove('silent');

    assert.equal(never.body.error?.code, 'NETWORK_ERROR');
    assert.match(never.body.error?.message ?? '', /^Server 'silent' did not answer within 1000 ms\.$/);
    assert.deepEqual([other, own], ['unaffected', 'beside it']);
    assert.equal(progress.body.text, 'done', JSON.stringify(progress.body));
    assert.deepEqual([after.state, after.pid], ['running', pid]);
    assert.deepEqual(callsOf(dir).filter((name) => name === 'never').length, 1);
  });

  test('HOST-10 to pings: its connection is given up, and it is started again', async () => {
    const dir = home.dir('mute');
    await home.run(faultyServer('mute', { dir, fault: 'mute' }));

    await until('it was started again', () => linesIn(dir, 'starts').length > 1);
    const [first] = linesIn(dir, 'starts').map(Number);
    await remove('mute');

    assert.equal(isAlive(first ?? 0), false);
  });

  test('HOST-06 to SIGTERM: it is killed within its time', async () => {
    await home.run(faultyServer('stubborn', { fault: 'stubborn' }));
    const pid = await pidOf('stubborn');

    const stopped = await home.rest('POST', '/servers/stubborn/stop');
    await remove('stubborn');

    assert.equal((stopped.body.status as JsonObject).state, 'stopped');
    assert.equal(isAlive(pid), false);
  });

  test('HOST-06 with children and grandchildren: all of them end', async () => {
    const dir = home.dir('children');
    await home.run(faultyServer('children', { dir, fault: 'children' }));
    await until('its children run', () => linesIn(dir, 'pids').length === 2);
    const pids = linesIn(dir, 'pids').map(Number);

    await home.rest('POST', '/servers/children/stop');
    await remove('children');

    assert.deepEqual(pids.filter(isAlive), []);
  });
});

describe('a server that says too much', () => {
  test('HOST-20 other text on stdout does not disturb it, and is in its log', async () => {
    await home.run(faultyServer('garbage', { fault: 'garbage' }));

    const echoed = await home.text('garbage', 'echo', { text: 'clear' });
    const logs = await home.command('servers', 'logs', 'garbage');
    await remove('garbage');

    assert.equal(echoed, 'clear');
    assert.match(logs.stdout, /\[stdout\] Welcome!/);
  });

  test('stderr without end costs neither calls nor memory', async () => {
    await home.run(faultyServer('flood', { fault: 'flood' }));
    const before = memory();

    for (let call = 0; call < 200; call += 1) await home.text('flood', 'echo', { text: 'dry' });
    const grown = memory() - before;
    const logs = await home.rest('GET', '/servers/flood/logs?lines=1000');
    await remove('flood');

    assert.ok(grown < 100 * MEGABYTE, `${grown} bytes`);
    assert.ok(JSON.stringify(logs.body).length < MEGABYTE);
  });

  test('an answer of 50 MB is TOO_LARGE, costs bounded memory, and the server goes on', async () => {
    await home.run(faultyServer('huge'));
    const pid = await pidOf('huge');
    const before = memory();

    const big = await home.call('huge', 'big', { bytes: 50 * MEGABYTE });
    const grown = memory() - before;
    const next = await home.text('huge', 'echo', { text: 'small' });
    const allowed = await home.call('huge', 'big', { bytes: 3 * MEGABYTE });
    const after = await pidOf('huge');
    await remove('huge');

    assert.deepEqual([big.status, big.body.error?.code], [413, 'TOO_LARGE'], JSON.stringify(big.body).slice(0, 300));
    assert.match(big.body.error?.message ?? '', /'huge'/);
    assert.ok(grown < 150 * MEGABYTE, `${grown} bytes`);
    assert.equal(next, 'small');
    assert.equal(String(allowed.body.text).length, 3 * MEGABYTE);
    assert.equal(after, pid);
  });
});

describe('one of ten', () => {
  for (const [fault, config] of [
    ['dead', { args: ['-e', 'process.exit(1)'] }],
    ['hanging', { args: ['-e', 'setInterval(() => {}, 60_000)'] }],
  ] as const) {
    test(`HOST-11 MC-T5 is ${fault}: the other nine are listed and answer`, async () => {
      const ids = Array.from({ length: 10 }, (_, index) => `${fault}${index}`);
      const bad = `${fault}3`;
      await Promise.all(
        ids.map((id) => home.add({ ...faultyServer(id), ...(id === bad ? { args: [...config.args] } : {}) })),
      );
      const others = ids.filter((id) => id !== bad);

      await Promise.all(others.map((id) => home.reached(id, 'running')));
      const names = await offeredNames();
      const answers = await Promise.all(others.map((id) => home.text(id, 'echo', { text: id })));
      const { state } = await home.status(bad);
      await Promise.all(ids.map(remove));

      assert.deepEqual(answers, others);
      // Eleven servers with twelve tools each are more than are listed at once.
      assert.ok(names.includes('search_tools'));
      assert.ok(fault === 'dead' ? state !== 'running' : state === 'starting', state);
    });
  }
});

describe('a server that is not always needed', () => {
  test('a lazy one is started by a call, one that is idle is stopped and started again by the next', async () => {
    const dir = home.dir('lazy');
    await home.add(faultyServer('lazy', { dir, start: 'lazy', idle_stop_ms: 1_000 }));
    const before = await home.status('lazy');

    const first = await home.text('lazy', 'echo', { text: 'awake' });
    const offered = await offeredNames();
    await home.reached('lazy', 'stopped');
    const asleep = await offeredNames();
    const tools = await home.rest('GET', '/tools');
    const second = await home.text('lazy', 'echo', { text: 'again' });
    await remove('lazy');

    assert.equal(before.state, 'stopped');
    assert.deepEqual([first, second], ['awake', 'again']);
    assert.ok(offered.includes('lazy__echo') && asleep.includes('lazy__echo'));
    assert.ok(!(tools.body.tools as JsonObject[]).some(({ server }) => server === 'lazy'));
    assert.equal(linesIn(dir, 'starts').length, 2);
  });

  test('calls that come together start it once', async () => {
    const dir = home.dir('together');
    await home.add(faultyServer('together', { dir, start: 'lazy' }));

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => home.text('together', 'echo', { text: String(index) })),
    );
    await remove('together');

    assert.deepEqual(
      answers,
      Array.from({ length: 10 }, (_, index) => String(index)),
    );
    assert.equal(linesIn(dir, 'starts').length, 1);
  });

  test('HOST-06 after all of this only the processes of what runs are left', async () => {
    await until('the rest has ended', () => serverProcesses(home.home).length === 1);

    assert.deepEqual(serverProcesses(home.home), [await pidOf('well')]);
  });
});
