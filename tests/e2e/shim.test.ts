import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { chanceFrom } from '../support/chance.ts';
import { type Message, request, stateless } from '../support/mcp/rpc-message.ts';
import {
  daemonStatus,
  isAlive,
  processesOf,
  removeHome,
  type Shim,
  startShim,
  until,
} from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const STATUS = { name: 'switchboard_status', arguments: {} };
const LIVES = process.env.SOAK === '1' ? 200 : 20;
/** The same seed reproduces the same order. */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
/** The ways in which a client ends. */
const END: readonly ((shim: Shim) => void)[] = [
  (shim) => shim.signal('SIGKILL'),
  (shim) => shim.signal('SIGTERM'),
  (shim) => shim.end(),
];
let homes = 0;

function freshHome(context: TestContext): string {
  const home = join(folder, `h${++homes}`);
  context.after(() => removeHome(home));
  return home;
}

describe('CHAT-03 a shim behaves like the stdio transport', () => {
  test('at the end of input all requests are answered, even one without a trailing newline', async (context) => {
    const shim = startShim({ home: freshHome(context) });
    await shim.initialize();
    const calls = Array.from({ length: 50 }, () => request('tools/call', STATUS));

    shim.sendText(calls.map((call) => JSON.stringify(call)).join('\n'));
    const { code, noise } = await shim.stop();

    assert.deepEqual([code, noise], [0, []]);
    assert.equal(shim.messages.all.filter(({ result }) => result).length, 1 + calls.length);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`on ${signal} requests already read are answered and it exits with 0; the daemon keeps running`, async (context) => {
      const home = freshHome(context);
      const shim = startShim({ home });
      await shim.initialize();
      const call = request('tools/call', STATUS);

      shim.send(call);
      await shim.messages.answerTo(call.id);
      shim.signal(signal);
      const { code, noise } = await shim.ended();

      assert.deepEqual([code, noise], [0, []]);
      assert.equal((await daemonStatus(home)).running, true);
    });
  }

  test('a signal during the start ends it', async (context) => {
    const shim = startShim({ home: freshHome(context) });

    shim.signal('SIGTERM');
    const { code, signal, stderr } = await shim.ended();

    assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal}`);
    assert.equal(stderr, '');
  });

  test('shutdown ends this session and its process, not the daemon', async (context) => {
    const home = freshHome(context);
    const [one, two] = [startShim({ home }), startShim({ home })];
    await Promise.all([one.initialize(), two.initialize()]);

    await one.call('shutdown');
    const { code } = await one.ended();
    const { result } = await two.call('tools/list');

    assert.equal(code, 0);
    assert.ok(result);
    await two.stop();
  });

  test('malformed JSON and an oversized line are refused, and the connection continues', async (context) => {
    const shim = startShim({ home: freshHome(context) });
    await shim.initialize();

    shim.sendText('no JSON\n');
    shim.sendText(`{"jsonrpc":"2.0","id":"long","method":"ping","params":{"x":"${'x'.repeat(12 * 1024 * 1024)}"}}\n`);
    const [malformed, long] = await Promise.all([shim.messages.answerTo(null), shim.messages.answerTo('long')]);
    const { result } = await shim.call('tools/list');

    assert.deepEqual([malformed.error?.code, long.error?.code], [-32700, -32600]);
    assert.ok(result);
    await shim.stop();
  });

  test('an unknown capability is a usage error', async (context) => {
    const { code, stderr } = await startShim({ home: freshHome(context) }, ['--only', 'nonsense']).ended();

    assert.equal(code, 2);
    assert.match(stderr, /no capability 'nonsense'/);
  });
});

describe('the daemon is killed', () => {
  test('during 100 calls of 10 clients with and without sessions: each is answered once, all continue, one daemon runs', async (context) => {
    const home = freshHome(context);
    const shims = Array.from({ length: 10 }, () => startShim({ home }));
    const isLegacy = (shim: Shim) => shims.indexOf(shim) % 2 === 0;
    await Promise.all(shims.map((shim) => (isLegacy(shim) ? shim.initialize() : shim.call('tools/list', stateless()))));
    const { pid } = await daemonStatus(home);
    const ask = (shim: Shim) => shim.call('tools/call', isLegacy(shim) ? STATUS : stateless(STATUS));

    const calls = shims.flatMap((shim) => Array.from({ length: 10 }, () => ask(shim)));
    await Promise.race(calls);
    process.kill(pid, 'SIGKILL');
    const answers = await Promise.all(calls);
    // A client may get the loss of the daemon as its next answer; calls after that succeed.
    await Promise.all(shims.map(ask));
    const afterwards = await Promise.all(shims.map(ask));

    assert.ok(answers.every(isAnsweredOrLost), JSON.stringify(answers.find((one) => !isAnsweredOrLost(one))));
    assert.ok(
      afterwards.every(({ result }) => result),
      JSON.stringify(afterwards.find(({ error }) => error)),
    );
    for (const { messages } of shims) assertAnsweredOnce(messages.all);
    const next = await daemonStatus(home);
    assert.notEqual(next.pid, pid);
    await until('one daemon is left', () => processesOf(home).length <= shims.length + 1);
    assert.deepEqual(new Set(processesOf(home)), new Set([next.pid, ...shims.map((shim) => shim.pid)]));
    const ends = await Promise.all(shims.map((shim) => shim.stop()));
    assert.deepEqual(new Set(ends.map(({ code }) => code)), new Set([0]));
    assert.deepEqual(
      ends.flatMap(({ noise }) => noise),
      [],
    );
  });

  test('a session continues with its id and its subscriptions', async (context) => {
    const home = freshHome(context);
    const shim = startShim({ home });
    await shim.initialize();
    await shim.call('resources/subscribe', { uri: 'switchboard://sessions/*' });
    const before = await sessionsOf(home);

    process.kill((await daemonStatus(home)).pid, 'SIGKILL');
    await shim.call('tools/list');
    const other = startShim({ home });
    await other.initialize();
    const { params } = await shim.messages.notified('notifications/resources/updated');

    assert.match(String(params?.uri), /^switchboard:\/\/sessions\//);
    assert.equal(before.length, 1);
    assert.ok((await sessionsOf(home)).some(({ id }) => id === before[0]?.id));
    await Promise.all([shim.stop(), other.stop()]);
  });

  test('during a handshake: the shim sends it again', async (context) => {
    const home = freshHome(context);
    await runProgram(['sessions', 'list'], { home });
    const { pid } = await daemonStatus(home);
    process.kill(pid, 'SIGSTOP');
    const shim = startShim({ home });
    const handshake = shim.initialize();

    process.kill(pid, 'SIGKILL');
    const { result } = await handshake;

    assert.ok(result);
    await shim.stop();
  });

  test(`${LIVES} rounds of clients that are killed in random order leave no process behind (SEED=${SEED})`, async (context) => {
    const home = freshHome(context);
    const chance = chanceFrom(SEED);
    const env = { SWITCHBOARD_DAEMON__IDLE_EXIT_MS: '300' };
    const daemons = new Set<number>();

    for (let life = 0; life < LIVES; life++) {
      const shims = Array.from({ length: 1 + chance(3) }, () => startShim({ home, env }));
      // Some are ended before their handshake, some during it.
      const handshakes = Promise.allSettled(shims.map((shim) => shim.initialize()));
      if (chance(4) !== 0) await handshakes;
      const killsDaemon = chance(5) === 0;
      const others = () => processesOf(home).filter((pid) => shims.every((shim) => shim.pid !== pid));
      if (killsDaemon && chance(2) === 0) killOne(others());
      for (const shim of shims) END[chance(END.length)]?.(shim);
      if (killsDaemon) for (const pid of processesOf(home)) daemons.add(pid);
      if (killsDaemon) killOne(others());
      await Promise.all([handshakes, ...shims.map((shim) => shim.ended())]);
    }
    await until('no process is left', () => processesOf(home).length === 0);

    // An exiting process has no environment left, but is still listed for a short time.
    for (const pid of daemons) await until(`the daemon ${pid} has exited`, () => !isAlive(pid));
  });
});

function killOne([pid]: readonly number[]): void {
  if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL');
}

function isAnsweredOrLost({ result, error }: Message): boolean {
  return result !== undefined || error?.data?.reason === 'daemon_lost';
}

function assertAnsweredOnce(messages: readonly Message[]): void {
  const ids = messages.filter(({ method }) => method === undefined).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
}

async function sessionsOf(home: string): Promise<{ id: string }[]> {
  const { stdout } = await runProgram(['sessions', 'list', '--json'], { home });
  return (JSON.parse(stdout) as { sessions: { id: string }[] }).sessions;
}
