import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import { daemonStatus, isAlive, processesOf, removeHome, startShim, until } from '../support/mcp/shim-program.ts';
import { silentLog } from '../support/operation-context.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { openStore } from '../support/store/open-store.ts';
import { outgoing } from '../support/store/samples.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

function freshHome(context: TestContext, name = `h${++homes}`): string {
  const home = join(folder, name);
  context.after(() => removeHome(home));
  return home;
}

describe('the daemon starts and stops automatically', () => {
  test('the first client starts it, further clients share it', async (context) => {
    const home = freshHome(context);
    const [one, two] = [startShim({ home }), startShim({ home })];
    await Promise.all([one.initialize(), two.initialize()]);

    const { running, kind, clients, pid } = await daemonStatus(home);

    assert.deepEqual([running, kind, clients], [true, 'auto', 2]);
    assert.equal(statSync(join(home, 'run', 'daemon.sock')).mode & 0o777, 0o600);
    await until('no other process is left', () => processesOf(home).length <= 3);
    assert.deepEqual(new Set(processesOf(home)), new Set([one.pid, two.pid, pid]));
    assert.deepEqual([(await one.stop()).code, (await two.stop()).code], [0, 0]);
  });

  test('clients that start at the same time start one daemon', async (context) => {
    const home = freshHome(context);
    const shims = Array.from({ length: 8 }, () => startShim({ home }));

    await Promise.all(shims.map((shim) => shim.initialize()));
    const { pid } = await daemonStatus(home);
    await until('all other processes have exited', () => processesOf(home).length <= shims.length + 1);

    assert.deepEqual(new Set(processesOf(home)), new Set([pid, ...shims.map((shim) => shim.pid)]));
    await Promise.all(shims.map((shim) => shim.stop()));
  });

  test('it exits after the idle timeout', async (context) => {
    const home = freshHome(context);
    const env = { SWITCHBOARD_DAEMON__IDLE_EXIT_MS: '200' };
    const shim = startShim({ home, env });
    await shim.initialize();
    const { pid } = await daemonStatus(home);

    await shim.stop();
    await until('the daemon has exited', () => !isAlive(pid));

    assert.equal((await daemonStatus(home)).running, false);
  });

  test('it keeps running while the outbox has pending messages', async (context) => {
    const home = freshHome(context);
    mkdirSync(home, { recursive: true });
    const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
    const { id } = await store.outbox.add(outgoing({ sender: 'telegram by hand' }));
    await runProgram(['sessions', 'list'], { home, env: { SWITCHBOARD_DAEMON__IDLE_EXIT_MS: '50' } });
    const { pid } = await daemonStatus(home);

    // Many times the idle timeout.
    await sleep(1_000);
    const stayed = isAlive(pid);
    await store.outbox.change(id, { kind: 'discard' });
    await store.close();
    await until('the daemon has exited', () => !isAlive(pid));

    assert.equal(stayed, true);
  });

  test('it exits when its home is removed', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });
    const { pid } = await daemonStatus(home);

    rmSync(home, { recursive: true });
    await until('the daemon has exited', () => !isAlive(pid));

    assert.throws(() => statSync(home));
  });

  test('a home with a long path gets a shorter socket path', async (context) => {
    const home = freshHome(context, 'l'.repeat(120));
    const shim = startShim({ home });

    const { result } = await shim.initialize();
    const { pid, clients } = await daemonStatus(home);

    assert.ok(result);
    assert.equal(clients, 1);
    await shim.stop();
    rmSync(home, { recursive: true });
    await until('the daemon has exited', () => !isAlive(pid));
  });

  test('the stale socket of a killed daemon does not prevent a new daemon', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });
    const { pid } = await daemonStatus(home);

    process.kill(pid, 'SIGKILL');
    await until('the daemon has exited', () => !isAlive(pid));
    const shim = startShim({ home });
    const { result } = await shim.initialize();

    assert.ok(result);
    assert.notEqual((await daemonStatus(home)).pid, pid);
    await shim.stop();
  });

  test('a home that cannot be written is reported with the reason', async (context) => {
    const home = freshHome(context);
    writeFileSync(home, 'a file');
    const inside = join(home, 'below');

    const shim = await startShim({ home: inside }).ended();
    const command = await runProgram(['sessions', 'list'], { home: inside });

    assert.deepEqual([shim.code, command.code], [1, 1]);
    for (const { stderr } of [shim, command])
      assert.match(stderr, /below cannot be written: a part of its path is a file/);
  });

  test('a home whose folder cannot be created, such as in /proc, is reported too', async () => {
    const { code, stderr } = await runProgram(['sessions', 'list'], { home: '/proc/switchboard' });

    assert.equal(code, 1);
    assert.match(stderr, /^The folder \/proc\/switchboard cannot be written: /);
  });

  test('a client with options that the shim does not handle itself starts it too', async (context) => {
    const home = freshHome(context);

    const shim = startShim({ home }, ['--json']);
    await shim.initialize();
    const { kind, clients } = await daemonStatus(home);
    const { code, noise } = await shim.stop();

    assert.deepEqual([kind, clients], ['auto', 1]);
    assert.deepEqual([code, noise], [0, []]);
  });

  test('with --json the reason why it cannot start is reported as JSON', async (context) => {
    const home = freshHome(context);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yaml'), 'daemon: { idle_exit: 1 }\n');

    const { code, stderr } = await startShim({ home }, ['--json']).ended();

    assert.equal(code, 1);
    assert.match(JSON.parse(stderr).error.message, /idle_exit/);
  });

  test('an invalid configuration is reported to the client that started the daemon', async (context) => {
    const home = freshHome(context);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yaml'), 'daemon: { idle_exit: 1 }\n');

    const { code, stderr } = await startShim({ home }).ended();

    assert.equal(code, 1);
    assert.match(stderr, /idle_exit/);
  });
});

describe('switchboard daemon', () => {
  test('status reports that none runs, and starts none', async (context) => {
    const home = freshHome(context);

    const { code, stdout } = await runProgram(['daemon', 'status'], { home });

    assert.equal(code, 0);
    assert.match(stdout, /No daemon runs/);
    assert.deepEqual(processesOf(home), []);
  });

  test('stop ends it, and clients continue with their next request', async (context) => {
    const home = freshHome(context);
    const shim = startShim({ home });
    await shim.initialize();
    const { pid } = await daemonStatus(home);

    const { stdout } = await runProgram(['daemon', 'stop', '--json'], { home });
    const before = await daemonStatus(home);
    const { result } = await shim.call('tools/list');

    assert.deepEqual(JSON.parse(stdout), { stopped: true, pid });
    assert.equal(before.running, false);
    assert.ok(Array.isArray(result?.tools));
    assert.equal((await shim.stop()).code, 0);
  });

  test('stop succeeds if none runs', async (context) => {
    const home = freshHome(context);

    const { code, stdout } = await runProgram(['daemon', 'stop', '--json'], { home });

    assert.deepEqual([code, JSON.parse(stdout)], [0, { stopped: false }]);
  });

  test('an idle client reattaches when another process starts a daemon', async (context) => {
    const home = freshHome(context);
    const shim = startShim({ home });
    await shim.initialize();
    await runProgram(['daemon', 'stop'], { home });

    await runProgram(['sessions', 'list'], { home });
    await until('the client is attached', async () => (await daemonStatus(home)).clients === 1);

    assert.equal((await shim.stop()).code, 0);
  });

  test('logs shows the last lines', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });
    await runProgram(['daemon', 'stop'], { home });

    const { stdout } = await runProgram(['daemon', 'logs', '--lines', '1'], { home });
    const short = await runProgram(['daemon', 'logs', '-n', '1'], { home });

    assert.match(stdout, /asked to end/);
    assert.equal(stdout.trimEnd().split('\n').length, 1);
    assert.equal(short.stdout, stdout);
  });

  test('logs -f prints new lines until it is interrupted', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });
    await runProgram(['daemon', 'stop'], { home });
    const following = startProgram(['daemon', 'logs', '-f', '-n', '1'], { home });
    context.after(() => following.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: following.stdout }).on('line', (line) => lines.push(line));
    await until('the last line is shown', () => lines.length === 1);

    await runProgram(['sessions', 'list'], { home });
    await runProgram(['daemon', 'stop'], { home });
    await until('the new line is shown', () => lines.filter((line) => line.includes('asked to end')).length === 2);
    following.kill('SIGINT');
    const [code, signal] = await once(following, 'exit');

    assert.deepEqual([code, signal], [0, null]);
  });
});

describe('--set', () => {
  const UNUSED = 'switchboard: --set policy.send is not used: the process that owns this home has its own settings.\n';

  test('is not applied by a running daemon, and commands and clients print a warning', async (context) => {
    const home = freshHome(context);

    const command = await runProgram(['sessions', 'list', '--json', '--set', 'policy.send=deny'], { home });
    const shim = startShim({ home }, ['--set', 'policy.send=deny']);
    await shim.initialize();
    const client = await shim.stop();

    assert.deepEqual([command.code, command.stdout, command.stderr], [0, '{"sessions":[]}\n', UNUSED]);
    assert.deepEqual([client.code, client.stderr], [0, UNUSED]);
  });

  test('is rejected if it is invalid, even if another process owns the home', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });

    const command = await runProgram(['sessions', 'list', '--set', 'policy.sned=deny'], { home });
    const client = await startShim({ home }, ['--set', 'policy.send=perhaps']).ended();

    assert.deepEqual([command.code, client.code], [1, 1]);
    assert.match(command.stderr, /policy\.sned \(--set policy\.sned\): is not a known key; did you mean send\?/);
    assert.match(client.stderr, /policy\.send \(--set policy\.send\): must be one of allow, careful, hold, deny/);
  });
});

describe('the environment', () => {
  test('a client with different settings gets one warning with their names, without their values', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });

    const shim = startShim({ home, env: { SWITCHBOARD_SERVER__NAME: 'hidden-value' } });
    await shim.initialize();
    const { stderr } = await shim.stop();

    assert.equal(stderr.match(/SWITCHBOARD_SERVER__NAME/g)?.length, 1);
    assert.doesNotMatch(stderr, /hidden-value/);
  });

  test('a command with different settings gets the warning too, and its output is unchanged', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });

    const same = await runProgram(['sessions', 'list', '--json'], { home });
    const other = await runProgram(['sessions', 'list', '--json'], {
      home,
      env: { ANTHROPIC_API_KEY: 'hidden-value' },
    });

    assert.equal(same.stderr, '');
    assert.equal(other.stderr, 'switchboard: the running daemon was started with other values of ANTHROPIC_API_KEY.\n');
    assert.deepEqual([other.code, other.stdout], [0, same.stdout]);
  });

  test('without autostart a client owns the home itself, others attach to it, and one of them takes over', async (context) => {
    const home = freshHome(context);
    const env = { SWITCHBOARD_DAEMON__AUTOSTART: 'false' };
    const one = startShim({ home, env });
    await one.initialize();
    const two = startShim({ home, env });
    await two.initialize();

    const { kind, pid } = await daemonStatus(home);
    await one.stop();
    const { result } = await two.call('tools/list');

    assert.deepEqual([kind, pid], ['embedded', one.pid]);
    assert.ok(Array.isArray(result?.tools));
    assert.deepEqual(processesOf(home), [two.pid]);
    assert.equal((await daemonStatus(home)).pid, two.pid);
    assert.equal((await two.stop()).code, 0);
  });
});
