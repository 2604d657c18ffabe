import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startAgent } from '../support/agentmail/clients.ts';
import { agentmailPath, createMailWorld } from '../support/agentmail/program.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { programPath } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const UNCERTAIN = /it is not certain which agent this is/;
const support = join(import.meta.dirname, '..', 'support', 'agentmail');

describe('an agent that is taken for another one', { timeout: 300_000 }, () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const world = createMailWorld(after, folder);
  const { server, project } = world;
  const victim = server.first;
  let sender: string;
  let a1: Awaited<ReturnType<typeof startAgent>>;
  let runs = 0;

  before(async () => {
    sender = server.addWindow('sender');
    a1 = await startAgent(world, { home, pane: victim });
  });
  after(async () => {
    await a1.shim.stop();
    removeHome(home);
  });
  beforeEach(() => world.as(sender, 'send', 'a1', 'the password is 1234'));

  /** As a child of the shell of another window. */
  function inOtherWindow(...command: string[]) {
    runs += 1;
    return server.runInside({ window: `attacker${runs}`, scratch: join(folder, `run${runs}`), command });
  }

  /** The victim reads its letter: nobody has taken it. */
  async function victimStillHasIt(): Promise<void> {
    assert.match((await world.as(victim, 'receive')).stdout, /the password is 1234/);
    assert.equal((await world.as(victim, 'receive')).stdout, 'No unread messages\n');
  }

  for (const [when, leave] of [
    ['while the window that started it is open', []],
    ['after the program that started it has ended', ['leave']],
  ] as const) {
    describe(`with one background server for all its windows, ${when}`, () => {
      const socket = join(folder, `server${leave.length}.sock`);
      const starter = server.addWindow(`first${leave.length}`, {
        command: [
          'sh',
          '-c',
          '"$@"; exec cat',
          'sh',
          process.execPath,
          join(support, 'shared-server.ts'),
          'start',
          socket,
          ...leave,
        ],
      });

      async function ask(command: readonly string[], input = ''): Promise<string> {
        await until('the server listens', () => existsSync(socket));
        const connection = connect(socket);
        await once(connection, 'connect');
        connection.end(JSON.stringify({ command, input, cwd: project }));
        return text(connection);
      }

      /** As the assistant of the second window, which only connects to the server. */
      async function runBySharedServer(command: readonly string[], input?: string) {
        return JSON.parse(await ask(command, input)) as { code: number; stdout: string; stderr: string };
      }

      before(() => world.as(sender, 'send', `first${leave.length}`, 'only for the first window'));
      after(async () => {
        await ask([]);
        server.tmux('kill-pane', '-t', starter);
      });

      test('is refused when it runs the agentmail command', async () => {
        const { code, stdout, stderr } = await runBySharedServer([process.execPath, agentmailPath, 'receive']);

        assert.deepEqual([code, stdout], [1, '']);
        assert.match(stderr, UNCERTAIN);
        await victimStillHasIt();
      });

      test('is told so by doctor', async () => {
        const command = ['env', `SWITCHBOARD_HOME=${home}`, process.execPath, programPath, 'doctor', '--json'];
        const { stdout } = await runBySharedServer(command);

        assert.match(stdout, /"agent identity","state":"warning","says":"it is not certain which agent this is/);
        await victimStillHasIt();
      });

      test('is refused when it calls tools, and the answer says what to do', async () => {
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
        const messages = [
          { jsonrpc: '2.0', id: 1, method: 'initialize', params },
          { jsonrpc: '2.0', method: 'notifications/initialized' },
          { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'receive', arguments: {} } },
        ];
        const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');

        const command = ['env', `SWITCHBOARD_HOME=${home}`, process.execPath, agentmailPath, 'mcp'];
        const { stdout, stderr } = await runBySharedServer(command, input);

        const answer = stdout.split('\n').find((line) => line.includes('"id":2')) ?? '';
        assert.match(answer, UNCERTAIN);
        assert.match(answer, /NO_AGENT_IDENTITY/);
        assert.doesNotMatch(stdout, /only for the first window/);
        assert.match(stderr, UNCERTAIN);
        await victimStillHasIt();
      });
    });
  }

  test('cannot read another mailbox by setting TMUX_PANE', async () => {
    const { code, stdout, stderr } = await inOtherWindow(
      'env',
      `TMUX_PANE=${victim}`,
      process.execPath,
      agentmailPath,
      'receive',
    );

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, UNCERTAIN);
    assert.match(stderr, /TMUX_PANE names another pane/);
    await victimStillHasIt();
  });

  test('cannot send in another name by setting TMUX_PANE', async () => {
    const command = [process.execPath, agentmailPath, 'send', 'sender', 'forged'];
    const { code, stderr } = await inOtherWindow('env', `TMUX_PANE=${victim}`, ...command);

    assert.equal(code, 1);
    assert.match(stderr, UNCERTAIN);
    assert.doesNotMatch((await world.as(sender, 'history')).stdout, /forged/);
    await victimStillHasIt();
  });

  test('cannot send or read under the name of another window by renaming its own', async () => {
    const line = { id: 'Original', from: 'sender', to: 'a1', message: 'by the original program', read_flag: false };
    appendFileSync(join(project, '.agentmail', 'mailboxes', 'a1.jsonl'), `${JSON.stringify(line)}\n`);
    const run = (scratch: string, ...args: string[]) =>
      server.runInside({
        window: 'a1',
        scratch: join(folder, scratch),
        command: [process.execPath, agentmailPath, ...args],
      });

    const read = await run('namesake-read', 'receive');
    const sent = await run('namesake-send', 'send', 'sender', 'forged');
    for (const { pane } of [read, sent]) server.tmux('kill-pane', '-t', pane);

    assert.deepEqual([read.code, read.stdout], [0, 'No unread messages\n']);
    assert.equal(sent.code, 1);
    assert.match(sent.stderr, /sender ambiguous: another window is named 'a1' too/);
    assert.match((await world.as(victim, 'receive')).stdout, /the password is 1234/);
    assert.match((await world.as(victim, 'receive')).stdout, /by the original program/);
    assert.doesNotMatch((await world.as(sender, 'history')).stdout, /forged/);
  });

  test('cannot let tmux itself run the command in the name of a pane', async () => {
    const output = join(folder, 'job.txt');
    const script = `TMUX_PANE=${victim} '${process.execPath}' '${agentmailPath}' receive`;
    server.tmux('run-shell', '-t', victim, `cd '${project}' && ${script} >'${output}' 2>&1; true`);

    assert.match(readFileSync(output, 'utf8'), UNCERTAIN);
    await victimStillHasIt();
  });

  test('cannot tell the daemon another process id and pane', async () => {
    const { TMUX } = server.env(victim);
    const panePid = server.tmux('display-message', '-p', '-t', victim, '#{pane_pid}');
    const forged = [process.execPath, join(support, 'forged-hello.ts'), home, panePid, project];

    const asPane = await inOtherWindow(...forged, TMUX, victim);
    const asProcess = await inOtherWindow(...forged);

    assert.match(asPane.stdout, UNCERTAIN);
    // Its own window is found, in which it has no mail.
    assert.match(asProcess.stdout, /No unread messages/);
    await victimStillHasIt();
  });
});
