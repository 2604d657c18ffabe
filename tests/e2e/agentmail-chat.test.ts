import assert from 'node:assert/strict';
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
