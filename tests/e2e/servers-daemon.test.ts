import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { daemonStatus, isAlive, until } from '../support/mcp/shim-program.ts';
import { faultyServer, linesIn, serverProcesses, startServerHome } from '../support/servers/server-home.ts';

const CYCLES = process.env.SOAK ? 1_000 : 30;
const MEGABYTE = 1_048_576;
/** Shorter than the default, so that stubborn servers are killed sooner. */
const configuration = { servers: { stop_timeout_ms: 1_000 } };
const home = await startServerHome(after, { configuration });

const pidOf = async (id: string) => Number((await home.status(id)).pid);

describe('the daemon and its servers', () => {
  test('kill -9 leaves no server process, keeps the configuration, and the next daemon starts clean', async () => {
    const dir = home.dir('children');
    await home.run(faultyServer('plain', { env_vars: { COLOUR: 'green' } }));
    await home.run(faultyServer('stubborn', { fault: 'stubborn' }));
    await home.run(faultyServer('children', { dir, fault: 'children' }));
    await until('the children run', () => linesIn(dir, 'pids').length === 2);
    await home.add(faultyServer('off', { enabled: false }));
    const before = serverProcesses(home.home);

    await home.kill();
    await until('all processes have ended', () => serverProcesses(home.home).length === 0);
    const children = linesIn(dir, 'pids').map(Number).filter(isAlive);
    await home.start();
    await Promise.all(['plain', 'stubborn', 'children'].map((id) => home.reached(id, 'running')));
    const colour = await home.text('plain', 'env', { name: 'COLOUR' });
    const off = await home.status('off');

    assert.ok(before.length >= 5, `${before.length} processes`);
    assert.deepEqual(children, []);
    assert.equal(colour, 'green');
    assert.equal(off.state, 'disabled');
    await until('their children run', () => linesIn(dir, 'pids').length === 4);
    assert.ok(before.every((pid) => !isAlive(pid)));
  });

  test('HOST-21 MC-T8 the end of the daemon ends every server', async () => {
    const before = serverProcesses(home.home);

    await home.stop();
    const left = serverProcesses(home.home);
    await home.start();
    await home.reached('plain', 'running');

    assert.ok(before.length >= 5);
    assert.deepEqual(left, []);
    for (const id of ['stubborn', 'children', 'off']) await home.rest('DELETE', `/servers/${id}`);
  });

  test('commands at the same time: one of two with the same name is added, both others run', async () => {
    const { args = [] } = faultyServer('x') as { args?: string[] };
    const add = (name: string) =>
      home.command('servers', 'add', name, '--binary', process.execPath, '--json', '--', ...args);

    const same = await Promise.all([add('twin'), add('twin')]);
    const different = await Promise.all([add('left'), add('right')]);
    const stops = await Promise.all([
      home.command('servers', 'stop', 'left'),
      home.command('servers', 'restart', 'right'),
      home.command('servers', 'start', 'twin'),
      home.command('servers', 'start', 'twin'),
    ]);
    const refused = same.find(({ code }) => code !== 0);
    await Promise.all(['twin', 'right'].map((id) => home.reached(id, 'running')));
    for (const id of ['twin', 'left', 'right']) await home.rest('DELETE', `/servers/${id}`);

    assert.equal(same.filter(({ code }) => code === 0).length, 1);
    assert.partialDeepStrictEqual(JSON.parse(refused?.stderr ?? '{}'), { error: { code: 'CONFLICT', field: 'name' } });
    assert.deepEqual(
      [...different, ...stops].map(({ code }) => code),
      [0, 0, 0, 0, 0, 0],
    );
  });

  test('two homes do not touch each other’s servers', async () => {
    const other = await startServerHome(after, { configuration });
    await other.run(faultyServer('plain'));
    const [own, foreign] = [await pidOf('plain'), Number((await other.status('plain')).pid)];

    await other.kill();
    await until('its server has ended', () => !isAlive(foreign));
    await other.start();
    await other.reached('plain', 'running');
    const isUntouched = isAlive(own);
    await home.rest('POST', '/servers/shutdown');
    const state = await other.status('plain');
    await home.rest('POST', '/servers/plain/start');

    assert.ok(isUntouched);
    assert.equal(state.state, 'running');
    assert.equal(serverProcesses(other.home).length, 1);
  });

  test('doctor and status name a server that failed', async () => {
    const missing = { type: 'binary', identifier: '/no/such/program' };
    await home.add({ ...faultyServer('failing'), package: missing });
    await home.reached('failing', 'error');

    const status = await home.json('status');
    const text = await home.command('status');
    const doctor = await home.command('doctor');
    await home.rest('DELETE', '/servers/failing');

    assert.deepEqual(status.servers, [
      { id: 'plain', name: 'plain', state: 'running' },
      { id: 'failing', name: 'failing', state: 'error', message: 'Package not found' },
    ]);
    assert.match(text.stdout, /^Servers: plain \(running\), failing \(error\)\.$/m);
    assert.match(doctor.stdout, /failing: Package not found/);
  });

  test(`${CYCLES} starts and stops leave no process, no descriptor and no memory`, async () => {
    const { pid } = await daemonStatus(home.home);
    const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;
    const memory = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
    const cycle = async () => {
      const stopped = await home.rest('POST', '/servers/plain/stop');
      const started = await home.rest('POST', '/servers/plain/start');
      return [stopped, started].map(({ body }) => (body.status as JsonObject | undefined)?.state);
    };
    for (let warm = 0; warm < 10; warm += 1) await cycle();
    const before = { descriptors: descriptors(), memory: memory() };
    const lately: number[] = [];

    for (let count = 0; count < CYCLES; count += 1) {
      assert.deepEqual(await cycle(), ['stopped', 'running']);
      lately.push(memory());
    }
    // What is garbage at one moment is collected at another.
    const grown = Math.min(...lately.slice(-CYCLES / 10)) - before.memory;

    await until('all descriptors are closed', () => descriptors() <= before.descriptors + 2);
    assert.equal(serverProcesses(home.home).length, 1);
    assert.ok(grown < 60 * MEGABYTE, `${grown} bytes`);
  });
});
