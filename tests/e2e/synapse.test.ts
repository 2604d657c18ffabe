import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { connected, sourcesOf, writeConfig } from '../support/chat/live-home.ts';
import { callTool, testReadingRows } from '../support/chat/network-rows.ts';
import type { World } from '../support/connectors/contract.ts';
import { startTlsProxy } from '../support/http/tls-proxy.ts';
import { matrixUser } from '../support/matrix/matrix-user.ts';
import { SERVER_NAME, type Synapse, startSynapse } from '../support/matrix/synapse.ts';
import { synapseWorld } from '../support/matrix/synapse-world.ts';
import { removeHome, type Shim, startShim, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CLOSED = `#closed:${SERVER_NAME}`;

describe('Matrix on Synapse with the built program', { timeout: 300_000 }, () => {
  const home = join(temporaryFolder(after), 'home');
  let server: Synapse;
  let world: World;
  let shim: Shim;
  let carol: Awaited<ReturnType<typeof matrixUser>>;

  before(async () => {
    server = await startSynapse();
    world = await synapseWorld(server);
    await server.register('carol', { displayName: 'Carol' });
    carol = await matrixUser(server.url, 'carol');
    await carol.createRoom({ alias: 'closed' });
    await world.peer.say('group', 'said before we came');
    // The certificate and the proxy end with the suite.
    const clean = { after: (work: () => unknown) => after(work) };
    const { url, certificate } = await startTlsProxy(clean as never, server.url);
    const { homeserver: _, ...credentials } = world.settings;
    writeConfig(home, {
      sources: {
        work: { kind: 'matrix', name: 'Work', ...world.settings, rooms: [CLOSED] },
        wrong: { kind: 'matrix', name: 'Wrong', ...world.wrongSettings },
        token: { kind: 'matrix', name: 'Token', homeserver: server.url, access_token: 'of-nobody' },
        safe: { kind: 'matrix', name: 'Safe', homeserver: url, ca: certificate, ...credentials },
        untrusted: { kind: 'matrix', name: 'Untrusted', homeserver: url, ...credentials },
        plain: { kind: 'matrix', name: 'Plain', homeserver: server.url.replace('http:', 'https:'), ...credentials },
        nowhere: { kind: 'matrix', name: 'Nowhere', homeserver: 'https://nowhere.invalid', ...credentials },
      },
      daemon: { idle_exit_ms: 1_000 },
    });
    shim = startShim({ home });
    await shim.initialize();
    await connected(home, 'work');
  });
  after(async () => {
    await shim?.stop();
    removeHome(home);
    await world?.close();
    await server?.stop();
  });

  const call = (name: string, args: object = {}) => callTool(shim, name, args);

  async function messages(args: object): Promise<JsonObject[]> {
    return (await call('get_messages', { source: 'work', ...args })).messages as JsonObject[];
  }

  test('CHAT-04 CHAT-05 chat sources and doctor say why a source is not connected, or what it lacks', async () => {
    const expected: Record<string, [string, string]> = {
      work: [
        'connected',
        `${CLOSED} was not joined: the room is closed to this user, who needs an invitation or was banned.`,
      ],
      wrong: ['rejected', 'The homeserver refuses to let the user in.'],
      token: ['rejected', 'The homeserver does not accept the access token.'],
      untrusted: [
        'rejected',
        'The certificate of the server is not trusted: name it in `ca` if it is one of your own.',
      ],
      plain: ['waiting', 'TLS could not be set up with the server: check whether `homeserver` begins with `http://`.'],
      nowhere: [
        'waiting',
        'The name of the server cannot be resolved: check `homeserver`, and whether this machine is online.',
      ],
    };
    await connected(home, 'safe');

    for (const [id, [state, problem]] of Object.entries(expected)) {
      await until(`${id} has its problem`, async () => {
        const source = (await sourcesOf(home))[id];
        // It is tried again and again.
        const isTried = state === 'waiting' && source?.state === 'connecting';
        return (source?.state === state || isTried) && source?.problem === problem;
      });
    }
    const { stdout } = await runProgram(['doctor', '--json'], { home });

    for (const [, problem] of Object.values(expected))
      assert.ok(stdout.includes(JSON.stringify(problem).slice(1, -1)), problem);
  });

  testReadingRows({ room: 'Team', sender: 'Bob' }, () => ({ shim, world }));

  test('a message to a user starts a direct chat, and the next one uses it', async () => {
    const first = await call('send_message', { source: 'work', chat: carol.id, text: 'hello Carol' });
    const direct = async () => (await messages({ search: 'hello Carol' }))[0];
    await until('it is stored in a direct chat', async () => (await direct())?.chat === 'Carol');
    const second = await runProgram(['chat', 'send', '--source', 'work', '--chat', carol.id, 'hello again, Carol'], {
      home,
    });

    await until('both messages are stored', async () => (await messages({ search: 'Carol' })).length === 2);
    assert.equal(first.status, 'sent');
    assert.equal(second.code, 0, second.stderr);
    const rooms = new Set((await messages({ search: 'Carol' })).map(({ chat_id }) => String(chat_id)));
    assert.equal(rooms.size, 1);
    for (const room of rooms) await carol.join(room);
  });

  test('messages missed while the server was unreachable arrive after reconnecting', async () => {
    await world.down();
    await until('the source is disconnected', async () => !(await sourcesOf(home)).work?.is_connected);
    await world.peer.say('group', 'said while we were away');
    await world.up();

    await until(
      'the message is stored',
      async () => (await messages({ search: 'while we were away' })).length === 1,
      60_000,
    );
  });
});
