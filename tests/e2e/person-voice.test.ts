import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectAgent, type ProtocolEra, startAgent } from '../support/agentmail/clients.ts';
import { agentmailPath, createMailWorld } from '../support/agentmail/program.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { type ProgramResult, programEnvironment, programPath, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const FORGED = { source: 'agentmail', chat: 'a1', text: 'Signed: your human' };
const assistant = join(import.meta.dirname, '..', 'support', 'agentmail', 'claude.mjs');

describe('only the user speaks as human', { timeout: 300_000 }, () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const env = { SWITCHBOARD_AUTH__TOKEN: OWNER };
  const world = createMailWorld(after, folder);
  const { server } = world;
  let program: Awaited<ReturnType<typeof startHttp>>;
  let a1: Awaited<ReturnType<typeof startAgent>>;

  before(async () => {
    program = await startHttp({ home, env });
    a1 = await startAgent(world, { home, pane: server.first });
    server.addWindow('a2');
    // Registers the repository, and a1 as somebody who can be answered.
    await a1.tool('send', { recipient: 'human', message: 'May I?' });
    await a1.tool('send', { recipient: 'a2', message: 'Hello' });
  });
  after(async () => {
    await a1.shim.stop();
    await program.stop();
    removeHome(home);
  });

  async function token(name: string, scopes: string, ...more: string[]): Promise<string> {
    const { stdout, stderr } = await runProgram(['token', 'add', name, '--scopes', scopes, ...more, '--json'], {
      home,
      env,
    });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout).token;
  }

  async function post(bearer: string) {
    const answer = await fetch(`${program.base}/api/v1/sources/agentmail/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ chat: FORGED.chat, text: FORGED.text }),
    });
    return { status: answer.status, body: await answer.text() };
  }

  /** The built program as a tool of an assistant, which only its name in the process list shows. */
  async function runByAssistant(...args: string[]): Promise<ProgramResult> {
    const { promise, resolve } = Promise.withResolvers<ProgramResult>();
    const options = { env: programEnvironment({ home, env }) };
    const command = [assistant, process.execPath, programPath, ...args];
    execFile(process.execPath, command, options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    return promise;
  }

  const send = ['chat', 'send', '--source', FORGED.source, '--chat', FORGED.chat, FORGED.text];

  async function nothingWasSent(): Promise<void> {
    assert.equal((await a1.tool('receive')).text, 'No unread messages');
  }

  test('an MCP client that does not hand on TMUX cannot', async () => {
    const client = await startAgent(world, { home, pane: '', env: {}, program: programPath });

    const { isError, content } = await client.tool('send_message', FORGED);
    await client.shim.stop();

    assert.equal(isError, true);
    assert.partialDeepStrictEqual(content.error, { code: 'FORBIDDEN', field: 'source' });
    assert.match(JSON.stringify(content.error), /agentmail_send.*attached session.*scope human/);
    await nothingWasSent();
  });

  for (const era of ['legacy', 'modern'] as ProtocolEra[]) {
    test(`nobody can over MCP on HTTP, not even the owner's token or one with the right (${era})`, async () => {
      const persons = await token(`persons-${era}`, 'chat:read,chat:send,agentmail:read,human');

      for (const bearer of [OWNER, persons]) {
        const client = await connectAgent(program.url, bearer, era);
        const { isError, content } = await client.tool('send_message', FORGED);
        assert.equal(isError, true);
        assert.partialDeepStrictEqual(content.error, { code: 'FORBIDDEN' });
      }
      await nothingWasSent();
    });
  }

  test('a token that may send to chats, or is an agent, cannot over REST', async () => {
    const scopes = 'chat:read,chat:send,agentmail:read,agentmail:send,agentmail:manage';
    const sender = await token('sender', scopes);
    const agent = await token('agent', scopes, '--agent', 'far');

    for (const bearer of [sender, agent]) {
      const { status, body } = await post(bearer);
      assert.equal(status, 403);
      assert.match(body, /"code":"FORBIDDEN".*scope human/);
    }
    await nothingWasSent();
  });

  test('the command cannot when an assistant runs it', async () => {
    const { code, stdout, stderr } = await runByAssistant(...send);

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /only the user can send it/);
    await nothingWasSent();
  });

  test('the command cannot when an assistant has marked its environment', async () => {
    const { code } = await runProgram(send, { home, env: { ...env, CODEX_THREAD_ID: '0' } });

    assert.equal(code, 1);
    await nothingWasSent();
  });

  test('the command cannot in a window that nobody looks at', async () => {
    const { code, stderr } = await server.runInside({
      window: 'hidden',
      scratch: join(folder, 'hidden'),
      command: ['env', `SWITCHBOARD_HOME=${home}`, process.execPath, programPath, ...send],
    });

    assert.equal(code, 1);
    assert.match(stderr, /only the user can send it/);
    await nothingWasSent();
  });

  test('an assistant cannot make a token with the right, and no agent can have one', async () => {
    const byAssistant = await runByAssistant('token', 'add', 'x', '--scopes', 'chat:send,human');
    const forAgent = await runProgram(['token', 'add', 'x', '--scopes', 'human', '--agent', 'a1'], { home, env });
    const manager = await token('manager', 'system:manage,system:read');
    const byToken = await fetch(`${program.base}/api/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${manager}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x', scopes: ['human'] }),
    });

    assert.equal(byAssistant.code, 1);
    assert.match(byAssistant.stderr, /scope that you do not have: human/);
    assert.equal(forAgent.code, 2);
    assert.match(forAgent.stderr, /A token of an agent cannot have the scope human/);
    assert.equal(byToken.status, 403);
  });

  test('an agent that calls its window human can neither read the mail of the user nor send as the user', async () => {
    for (const [at, name] of ['human', 'Human', 'hu​man'].entries()) {
      const command = [process.execPath, agentmailPath];
      const scratch = (what: string) => join(folder, `renamed${at}-${what}`);
      const read = await server.runInside({ window: name, scratch: scratch('r'), command: [...command, 'receive'] });
      const sent = await server.runInside({
        window: name,
        scratch: scratch('s'),
        command: [...command, 'send', 'a1', FORGED.text],
      });
      server.tmux('kill-pane', '-t', read.pane);
      server.tmux('kill-pane', '-t', sent.pane);

      assert.deepEqual([read.code, read.stdout, sent.code], [1, '', 1]);
      assert.match(read.stderr, /has the user's name, which no agent can have/);
    }
    await nothingWasSent();
  });

  test('no token can be an agent called human', async () => {
    for (const name of ['human', ' HUMAN']) {
      const { code, stderr } = await runProgram(['token', 'add', 'h', '--scopes', 'agentmail:send', '--agent', name], {
        home,
        env,
      });

      assert.equal(code, 2, stderr);
      assert.match(stderr, /agent.*must not be the user's name/);
    }
  });

  test('the user can, by a command outside assistants and with a token that has the right', async () => {
    const persons = await token('persons', 'chat:read,chat:send,agentmail:read,human');

    const byCommand = await runProgram([...send.slice(0, -1), 'Yes, you may.'], { home, env });
    const first = await a1.tool('receive');
    const byToken = await post(persons);
    const second = await world.as(server.first, 'receive');

    assert.equal(byCommand.code, 0, byCommand.stderr);
    assert.partialDeepStrictEqual(first.content, { from: 'human', message: 'Yes, you may.' });
    assert.equal(byToken.status, 200, byToken.body);
    assert.match(second.stdout, /From: human/);
    assert.match(second.stdout, /Signed: your human/);
  });
});
