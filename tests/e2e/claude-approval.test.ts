import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ClaudeHome, claudeHome, commandsIn, httpIn, stdioIn } from '../support/claude/claude-home.ts';
import { answerOf, calling, says, toolUse } from '../support/claude/frames.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SEND = { source: 'nowhere', chat: 'x', text: 'A message' };
const CONFIG = 'daemon: { idle_exit_ms: 1000 }\n';

describe('what Claude wants to send', () => {
  const folder = temporaryFolder(after);
  let world: ClaudeHome;
  let client: Awaited<ReturnType<typeof stdioIn>>;
  let person: ReturnType<typeof commandsIn>;

  before(async () => {
    world = await claudeHome(folder, CONFIG);
    person = commandsIn(world);
    client = await stdioIn(world);
  });

  after(async () => {
    await client.stop();
    world.api.close();
  });

  async function restart(signal: 'SIGKILL' | undefined): Promise<void> {
    if (signal) {
      client.signal(signal);
      await client.ended();
    } else await client.stop();
    client = await stdioIn(world);
  }

  const start = async (input: object = {}) =>
    String((await client.tools.call('conversation_start', input)).conversation_id);
  const send = (id: string, text: string) => client.tools.call('conversation_send', { conversation_id: id, text });
  const resultsIn = (index: number) => world.api.requests[index]?.body.messages.at(-1)?.content ?? [];

  test('waits, across a restart, until the person approves it', async () => {
    const id = await start();
    world.api.script(answerOf([toolUse('list_sources'), toolUse('send_message', SEND, 'toolu_send')]), says('Tried.'));
    const waiting = await send(id, 'Write to x.');
    const busy = await client.tools.refusal('conversation_send', { conversation_id: id, text: 'Now!' });
    await restart(undefined);

    const listed = await client.tools.call('conversation_list', {});
    const { stdout, code } = await person(['conversation', 'approve', id]);

    assert.partialDeepStrictEqual(waiting, {
      status: 'awaiting_approval',
      waiting: [{ call_id: 'toolu_send', tool: 'send_message', input: SEND }],
    });
    assert.equal(busy.code, 'CONFLICT');
    assert.partialDeepStrictEqual(listed, { conversations: [{ turn: 'awaiting_approval' }] });
    assert.deepEqual([code, stdout], [0, 'Tried.\n']);
    // The tools ran only now: one worked, and the other had no such source.
    assert.deepEqual(
      resultsIn(1).map(({ tool_use_id: call, is_error: isError }) => [call === 'toolu_send', isError ?? false]),
      [
        [false, false],
        [true, true],
      ],
    );
    assert.match(JSON.stringify(resultsIn(1)), /nowhere/);
  });

  test('is not carried out when the person denies it, also after a crash', async () => {
    const id = await start();
    world.api.script(calling('send_message', SEND), says('As you wish.'));
    await send(id, 'Write to x.');
    await restart('SIGKILL');

    const { stdout } = await person(['conversation', 'approve', id, '--decision', 'deny', '--reason', 'Too early']);

    assert.equal(stdout, 'As you wish.\n');
    assert.match(
      JSON.stringify(resultsIn(1)),
      /The person declined this call\. It was not carried out\. The person says: Too early/,
    );
    const { stdout: audit } = await person(['audit', 'list', '--json']);
    const calls = (JSON.parse(audit).entries as { operation: string; door: string }[]).filter(
      ({ door }) => door === 'claude',
    );
    assert.deepEqual(calls.filter(({ operation }) => operation === 'chat send').length, 1, 'that of the other test');
  });

  test('is never approved by an agent', async () => {
    const id = await start();
    world.api.script(
      calling('send_message', SEND),
      calling('conversation_approve', { conversation_id: id }),
      says('No.'),
    );
    await send(id, 'Write to x.');

    const refused = await client.tools.refusal('conversation_approve', { conversation_id: id });
    await person(['conversation', 'approve', id, '--decision', 'deny']);

    assert.equal(refused.code, 'FORBIDDEN');
    assert.match(refused.message, /Only the person approves/);
    const tools = world.api.requests[0]?.body.tools?.map(({ name }) => name) ?? [];
    assert.ok(!tools.includes('conversation_approve'));
    assert.match(JSON.stringify(resultsIn(2)), /"is_error":true/);
  });

  test('runs without approval where the conversation allows it', async () => {
    const id = await start({ auto_approve: ['send_*'] });
    world.api.script(calling('send_message', SEND), says('Tried.'));

    const answer = await send(id, 'Write to x.');

    assert.partialDeepStrictEqual(answer, { status: 'done', tool_calls: [{ tool: 'send_message', is_error: true }] });
  });

  test('can be cancelled while it waits; Claude learns that it has no result', async () => {
    const id = await start();
    world.api.script(calling('delete_email', { message_id: '1' }));
    await send(id, 'Delete it.');

    await client.tools.call('conversation_cancel', { conversation_id: id });
    world.api.script(says('All right.'));
    const next = await send(id, 'Never mind.');

    assert.equal(next.text, 'All right.');
    assert.deepEqual(
      resultsIn(0).map(({ type, is_error: isError, text }) => [type, isError ?? text]),
      [
        ['tool_result', true],
        ['text', 'Never mind.'],
      ],
    );
  });

  test('a crash in a turn loses at most the step in flight', async () => {
    const id = await start();
    world.api.script(calling('list_sources'), { answer: says('The last words'), holdAfter: 6 });
    client.send({
      jsonrpc: '2.0',
      id: 'lost',
      method: 'tools/call',
      params: { name: 'conversation_send', arguments: { conversation_id: id, text: 'Look around.' } },
    });
    while (world.api.requests.length < 2) await world.api.nextRequest();
    await restart('SIGKILL');

    const { conversations } = await client.tools.call('conversation_list', { limit: 1 });
    const { messages } = await client.tools.call('conversation_history', { conversation_id: id, include: 'full' });
    world.api.script(says('Here I am again.'));
    const next = await send(id, 'And?');

    assert.partialDeepStrictEqual(conversations, [{ conversation_id: id, turn: 'interrupted' }]);
    assert.partialDeepStrictEqual(messages, [
      { role: 'user', text: 'Look around.' },
      { role: 'assistant', tool_calls: [{ tool: 'list_sources' }] },
      { role: 'user', tool_results: [{ is_error: false }] },
    ]);
    assert.equal(next.text, 'Here I am again.');
    assert.equal(world.api.requests[0]?.body.messages.length, 4);
  });
});

describe('approval by tokens', () => {
  test('takes the right to manage, and another conversation than the own one', async (context) => {
    const world = await claudeHome(temporaryFolder((clean) => context.after(clean)));
    const program = await httpIn(world);
    const { rest } = program;
    const tokenOf = async (name: string, ...scopes: string[]) =>
      String(
        (await rest('POST', 'tokens', { name, scopes: ['claude:read', 'claude:write', 'claude:send', ...scopes] })).body
          .token,
      );
    const agent = await tokenOf('agent', 'chat:read', 'chat:send', 'claude:manage');
    const plain = await tokenOf('plain');
    world.api.script(calling('send_message', SEND), says('Tried.'));
    const { body } = await rest('POST', 'conversations', {}, agent);
    const path = `conversations/${body.conversation_id}`;
    const waiting = await rest('POST', `${path}/messages`, { text: 'Write to x.' }, agent);

    const own = await rest('POST', `${path}/approve`, {}, agent);
    const without = await rest('POST', `${path}/approve`, {}, plain);
    const owners = await rest('POST', `${path}/approve`, {});
    await program.stop();
    world.api.close();

    assert.equal(waiting.body.status, 'awaiting_approval');
    assert.deepEqual([own.code, without.code, owners.code], [403, 403, 200]);
    assert.equal(owners.body.text, 'Tried.');
    assert.deepEqual(
      world.api.requests[0]?.body.tools?.map(({ name }) => name),
      ['get_messages', 'get_thread', 'list_chats', 'list_sources', 'search_messages', 'send_message'],
    );
  });
});
