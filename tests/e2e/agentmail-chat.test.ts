import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent } from '../support/agentmail/clients.ts';
import { createMailWorld, runAgentmail } from '../support/agentmail/program.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { programPath, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('agent mail as a source of chat', { timeout: 300_000 }, () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const world = createMailWorld(after, folder);
  after(() => removeHome(home));
  let a1: Awaited<ReturnType<typeof startAgent>>;

  before(async () => {
    world.server.addWindow('a2');
    a1 = await startAgent(world, { home, pane: world.server.first });
  });
  after(() => a1.shim.stop());

  async function answer(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await runProgram([...args, '--json'], { home });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout);
  }

  /** Polls: a letter that the command wrote is indexed in the background. */
  async function messagesIn(chat: string, count: number): Promise<Record<string, unknown>[]> {
    const giveUpAt = Date.now() + 30_000;
    for (;;) {
      const { stdout } = await runProgram(['chat', 'messages', `agentmail:${chat}`, '--json'], { home });
      const messages = stdout === '' ? [] : (JSON.parse(stdout).messages ?? []);
      if (messages.length >= count) return messages;
      assert.ok(Date.now() < giveUpAt, `${messages.length} of ${count} messages arrived`);
      await sleep(100);
    }
  }

  test('a mailbox is a chat that contains every letter sent to it, by MCP or by command', async () => {
    await a1.tool('send', { recipient: 'a2', message: 'Shall I deploy the parser?' });
    await world.as(world.server.first, 'send', 'a2', 'It is deployed.');

    const messages = await messagesIn('a2', 2);
    const { messages: found } = await answer('chat', 'search', 'deploy');

    assert.deepEqual(
      messages.map(({ sender, content }) => [sender, content]),
      [
        ['a1', 'It is deployed.'],
        ['a1', 'Shall I deploy the parser?'],
      ],
    );
    assert.equal((found as unknown[]).length, 1);
  });

  test('an agent can write to the user, who has no window and replies through chat', async () => {
    const pane = world.server.addWindow('a3');
    const sent = await world.as(pane, 'send', 'human', 'May I delete the branch?');

    const [question] = await messagesIn('human', 1);
    const said = await answer('chat', 'send', '--source', 'agentmail', '--chat', 'a3', 'No, keep it.');
    const env = { ...world.server.env(pane), SWITCHBOARD_HOME: home };
    const received = await runAgentmail(['receive'], { cwd: world.project, env });

    assert.match(sent.stdout, /^Message #\S+ sent\n$/);
    assert.partialDeepStrictEqual(question, {
      source: 'agentmail',
      chat: 'human',
      sender: 'a3',
      content: 'May I delete the branch?',
    });
    assert.equal(said.status, 'sent');
    assert.equal(typeof said.message_id, 'string');
    assert.match(received.stdout, /^From: human\nID: \w+\n\nNo, keep it\.$/);
  });

  test('an agent cannot send as the user through chat', async () => {
    const pane = world.server.first;
    const agent = await startAgent(world, { home, pane, program: programPath });
    const message = { source: 'agentmail', chat: 'a2', text: 'Signed: your human' };

    const { isError, content } = await agent.tool('send_message', message);
    await agent.shim.stop();

    assert.equal(isError, true);
    assert.partialDeepStrictEqual(content.error, { code: 'FORBIDDEN', field: 'source' });
  });
});

describe('agent mail of the command alone', { timeout: 300_000 }, () => {
  const question = ['send', 'human', 'May I deploy?'];
  const inWorld = (folder: string) => {
    const world = createMailWorld(after, folder);
    const run = (env: object, ...args: string[]) =>
      runAgentmail(args, { cwd: world.project, env: { ...world.server.env(world.server.first), ...env } });
    return { ...world, run };
  };

  test('a running daemon shows a letter to the user, though nothing else was called in that repository', async () => {
    const folder = temporaryFolder(after);
    const home = join(folder, 'home');
    after(() => removeHome(home));
    const elsewhere = { home, cwd: temporaryFolder(after) };
    const before = await runProgram(['chat', 'sources'], elsewhere);
    const { run } = inWorld(folder);

    const sent = await run({ SWITCHBOARD_HOME: home }, ...question);
    let shown = await runProgram(['chat', 'messages', 'agentmail:human'], elsewhere);
    for (const giveUpAt = Date.now() + 15_000; shown.code !== 0 || !/May I deploy/.test(shown.stdout); ) {
      assert.ok(Date.now() < giveUpAt, `the letter is not shown: ${shown.stdout}${shown.stderr}`);
      await sleep(200);
      shown = await runProgram(['chat', 'messages', 'agentmail:human'], elsewhere);
    }
    const { stdout: sources } = await runProgram(['chat', 'sources', '--json'], elsewhere);
    const answered = await runProgram(
      ['chat', 'send', '--source', 'agentmail', '--chat', 'a1', 'Yes.', '--json'],
      elsewhere,
    );

    assert.match(before.stdout, /No sources/);
    assert.deepEqual([sent.code, sent.stderr], [0, '']);
    assert.match(sources, /"id":"agentmail"/);
    assert.equal(JSON.parse(answered.stdout || answered.stderr).status, 'sent', answered.stderr);
  });

  test('without a home the sender of a letter to the user is told, and none is created', async () => {
    const folder = temporaryFolder(after);
    const home = join(folder, 'home');
    const { run } = inWorld(folder);

    const sent = await run({ SWITCHBOARD_HOME: home }, ...question);
    const json = await run({ SWITCHBOARD_HOME: home }, ...question, '--json');

    assert.match(sent.stdout, /^Message #\S+ sent\n$/);
    assert.match(sent.stderr, /^Note: Switchboard was not started here yet, .* may not see this message/);
    assert.match(JSON.parse(json.stdout).note, /^Switchboard was not started/);
    assert.equal(existsSync(home), false);
  });
});
