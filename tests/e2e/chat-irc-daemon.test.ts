import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { connected, sourcesOf, writeConfig } from '../support/chat/live-home.ts';
import { type Ergo, startErgo } from '../support/irc/ergo.ts';
import { type IrcUser, ircUser } from '../support/irc/irc-user.ts';
import { stateless } from '../support/mcp/rpc-message.ts';
import { daemonStatus, isAlive, removeHome, startShim, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

function homeWith(context: TestContext, config: object): string {
  const home = join(folder, `h${++homes}`);
  writeConfig(home, config);
  context.after(() => removeHome(home));
  return home;
}

describe('a daemon with live sources', { timeout: 300_000 }, () => {
  let ergo: Ergo;
  let bob: IrcUser;

  before(async () => {
    ergo = await startErgo();
    bob = await ircUser(ergo.port, { nick: 'bob' });
    await bob.join('#team');
  });
  after(async () => {
    await bob?.close();
    await ergo?.stop();
  });

  const as = (nick: string) => ({
    kind: 'irc',
    host: '127.0.0.1',
    port: ergo.port,
    tls: false,
    nick,
    channels: ['#team'],
  });
  /** How often this nick joined and quit the channel. */
  const seen = (nick: string) =>
    ['JOIN', 'QUIT'].map((wanted) => bob.seen.filter((line) => line.command === wanted && line.nick === nick).length);

  test('a changed file connects an added source and disconnects a removed one; the others stay connected', async (context) => {
    const home = homeWith(context, { sources: { first: as('ann'), second: as('ben') } });
    await connected(home, 'first', 'second');

    writeConfig(home, { sources: { second: as('ben'), third: as('cas') } });
    await bob.line('ann quits', ({ command, nick }) => command === 'QUIT' && nick === 'ann');
    await bob.line('cas joins', ({ command, nick }) => command === 'JOIN' && nick === 'cas');
    await connected(home, 'second', 'third');

    assert.deepEqual(Object.keys(await sourcesOf(home)), ['second', 'third']);
    assert.deepEqual(seen('ann'), [1, 1]);
    assert.deepEqual(seen('ben'), [1, 0]);
  });

  test('a source that was logged out stays disconnected after a daemon restart, until it is logged in', async (context) => {
    const home = homeWith(context, { sources: { libera: as('eve') } });
    const command = async (...args: string[]) => {
      const { code, stdout } = await runProgram(['chat', ...args, '--json'], { home });
      return { code, ...JSON.parse(stdout) };
    };
    await connected(home, 'libera');

    const off = await command('logout', 'libera');
    await runProgram(['daemon', 'stop'], { home });
    const [away] = (await command('sources')).sources;
    const on = await command('login', 'libera');

    assert.partialDeepStrictEqual(off, { code: 0, source: 'libera', is_connected: false });
    assert.match(away.problem, /chat login libera/);
    assert.deepEqual(on, { code: 0, source: 'libera', is_connected: true, state: 'connected' });
    assert.deepEqual(seen('eve'), [2, 1]);
  });

  test('an idle daemon keeps running while a live source is connected, and exits with only a webhook source', async (context) => {
    const daemon = { idle_exit_ms: 100 };
    const live = homeWith(context, { sources: { libera: as('dora') }, daemon });
    await connected(live, 'libera');
    const { pid } = await daemonStatus(live);
    const pushed = homeWith(context, { sources: { hook: { kind: 'webhook' } }, daemon });
    await sourcesOf(pushed);

    await until('the daemon has exited', async () => !(await daemonStatus(pushed)).running);

    assert(isAlive(pid));
    assert.deepEqual(seen('dora'), [1, 0]);
  });

  test('responds while a network hangs, and stops on request', async (context) => {
    const hanging = await startHanging(context);
    const sources = {
      stuck: { ...as('eve'), port: hanging.port },
      'stuck-too': { kind: 'matrix', homeserver: `http://127.0.0.1:${hanging.port}`, access_token: 'a-token' },
    };
    const home = homeWith(context, { sources });
    const shim = startShim({ home });
    context.after(() => shim.stop());

    const initialized = await shim.initialize();
    await hanging.reached(2);
    const listed = await shim.call('tools/list');
    const { result } = await shim.call('tools/call', { name: 'list_sources', arguments: {} });
    const other = startShim({ home });
    context.after(() => other.stop());
    const listedToo = await other.call('tools/list', stateless());
    const stopped = await runProgram(['daemon', 'stop'], { home });

    assert.ok(initialized.result?.capabilities);
    for (const answer of [listed, listedToo]) assert.ok(answer.result?.tools, JSON.stringify(answer.error));
    assert.partialDeepStrictEqual(result?.structuredContent, {
      sources: [
        { id: 'stuck', state: 'connecting', is_connected: false },
        { id: 'stuck-too', state: 'connecting', is_connected: false },
      ],
    });
    assert.equal(stopped.code, 0, stopped.stderr);
  });

  test('a secret that is set or changed later is used without a restart', async (context) => {
    const account = await ircUser(ergo.port, { nick: 'gus', account: 'gus' });
    await account.close();
    const home = homeWith(context, { sources: { libera: { ...as('gus'), password: `\${secret:GUS}` } } });
    const setSecret = (stdin: string) => runProgram(['secret', 'set', 'GUS'], { home, stdin });

    const missing = await runProgram(['chat', 'sources'], { home });
    const set = await setSecret('not the password');
    await until('the password is rejected', async () => (await sourcesOf(home)).libera?.state === 'rejected');
    await setSecret('pw-gus');
    await connected(home, 'libera');

    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /sources\.libera\.password .* refers to the secret GUS/);
    assert.deepEqual([set.code, set.stdout, set.stderr], [0, 'Stored GUS (shared).\n', '']);
  });

  test('a wrong password is reported in our own text, and doctor names the setting to change', async (context) => {
    const account = await ircUser(ergo.port, { nick: 'fay', account: 'fay' });
    await account.close();
    const home = homeWith(context, {
      sources: { libera: { ...as('fay'), password: 'not the password' }, lost: { kind: 'whatsapp' } },
    });
    const before = await examined(home);

    await until('the password is rejected', async () => (await sourcesOf(home)).libera?.state === 'rejected');
    const { stdout } = await runProgram(['chat', 'sources'], { home });
    const afterwards = await examined(home);

    assert.match(stdout, /^libera.*The account or its password was not accepted\.$/m);
    assert.deepEqual(
      before.map(({ state, says }) => [state, says]),
      [
        ['ok', 'Nothing runs, so nothing is connected; the daemon is started when it is needed.'],
        ['ok', 'libera (irc) is configured.'],
        ['ok', 'lost (whatsapp) is configured.'],
      ],
    );
    assert.deepEqual(afterwards[0], {
      check: 'sources',
      state: 'warning',
      says: 'libera (irc) is refused. The account or its password was not accepted.',
      mend: 'Change sources.libera in config.yaml, or sign in: `switchboard chat login libera`.',
    });
  });
});

async function examined(home: string) {
  const { stdout } = await runProgram(['doctor', '--json'], { home });
  const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; says: string; mend?: string }[] };
  return checks.filter(({ check }) => check === 'sources');
}

/** A server that accepts connections and never responds. */
async function startHanging(context: TestContext) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    server.emit('reached');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    async reached(count: number): Promise<void> {
      while (sockets.size < count) await once(server, 'reached');
    },
  };
}
