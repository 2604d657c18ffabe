import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ClaudeHome, claudeHome, commandsIn, httpIn, stdioIn } from '../support/claude/claude-home.ts';
import { answerOf, calling, says, toolUse } from '../support/claude/frames.ts';
import { startStdio } from '../support/mcp/mcp-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Tools of conversations, in their order. */
const TOOLS = [
  'ask_claude',
  'claude_models',
  'conversation_approve',
  'conversation_archive',
  'conversation_cancel',
  'conversation_close',
  'conversation_delete',
  'conversation_fork',
  'conversation_history',
  'conversation_list',
  'conversation_search',
  'conversation_send',
  'conversation_start',
  'conversation_update',
];

describe('a conversation with Claude', () => {
  const folder = temporaryFolder(after);
  let world: ClaudeHome;
  let client: Awaited<ReturnType<typeof stdioIn>>;

  before(async () => {
    world = await claudeHome(folder);
    client = await stdioIn(world);
  });

  after(async () => {
    const { noise } = await client.stop();
    world.api.close();
    assert.deepEqual(noise, [], 'nothing but the protocol is on stdout');
  });

  const start = async (input: object = {}) =>
    String((await client.tools.call('conversation_start', { tools: [], ...input })).conversation_id);
  const send = (id: string, text: string, more: object = {}) =>
    client.tools.call('conversation_send', { conversation_id: id, text, ...more });
  const said = (index: number) =>
    world.api.requests[index]?.body.messages.map(
      ({ role, content }) => `${role}: ${content.map(({ text }) => text).join()}`,
    );

  test('CORE-06 CORE-07 sends a message to Claude and keeps the conversation', async () => {
    const id = await start({
      system: 'You are a librarian.',
      model: 'sonnet',
      settings: { max_tokens: 99, effort: 'low' },
    });
    world.api.script(says('Hello, Ada.'), says('Ada.'));

    const first = await send(id, 'I am Ada.');
    const second = await send(id, 'Who am I?');
    const history = await client.tools.call('conversation_history', { conversation_id: id });

    assert.partialDeepStrictEqual(first, { status: 'done', text: 'Hello, Ada.', stop_reason: 'end_turn' });
    assert.equal(second.text, 'Ada.');
    assert.partialDeepStrictEqual(world.api.requests[1]?.body, {
      model: 'claude-sonnet-5-5',
      system: 'You are a librarian.',
      max_tokens: 99,
      output_config: { effort: 'low' },
    });
    assert.deepEqual(said(1), ['user: I am Ada.', 'assistant: Hello, Ada.', 'user: Who am I?']);
    assert.partialDeepStrictEqual(history, {
      messages: [
        { role: 'user', text: 'I am Ada.', author: 'local' },
        { role: 'assistant', text: 'Hello, Ada.' },
        { role: 'user', text: 'Who am I?' },
        { role: 'assistant', text: 'Ada.', stop_reason: 'end_turn' },
      ],
    });
    assert.equal(world.api.requests[1]?.body.thread, undefined);
  });

  test('CORE-05 CORE-10 is listed, searched, changed, archived, restored, forked, closed and deleted', async () => {
    const { tools } = client;
    const id = await start({ title: 'Elephants' });
    world.api.script(says('They are grey.'), says('They are pink.'));
    const { message_id: first } = await send(id, 'Which colour do pachyderms have?');
    const fork = await tools.call('conversation_fork', { conversation_id: id, at_message_id: String(first) });
    await send(String(fork.conversation_id), 'And in dreams?');

    const listed = await tools.call('conversation_list', { query: 'eleph' });
    const found = await tools.call('conversation_search', { query: 'pachyderms' });
    const updated = await tools.call('conversation_update', { conversation_id: id, title: 'Grey', model: 'haiku' });
    const archived = await tools.call('conversation_archive', { conversation_id: id });
    const refused = await tools.refusal('conversation_send', { conversation_id: id, text: 'More' });
    const restored = await tools.call('conversation_archive', { conversation_id: id, restore: true });
    const closed = await tools.call('conversation_close', { conversation_id: id });
    const readable = await tools.call('conversation_history', { conversation_id: id });
    const deleted = await tools.call('conversation_delete', { conversation_id: id });
    const gone = await tools.refusal('conversation_history', { conversation_id: id });

    assert.deepEqual(said(1), [
      'user: Which colour do pachyderms have?',
      'assistant: They are grey.',
      'user: And in dreams?',
    ]);
    assert.equal((listed.conversations as unknown[]).length, 2);
    assert.equal((found.messages as unknown[]).length, 2);
    assert.partialDeepStrictEqual(updated, { title: 'Grey', model: 'claude-haiku-5-5' });
    assert.deepEqual(
      [archived.status, refused.code, restored.status, closed.status],
      ['archived', 'CONFLICT', 'active', 'closed'],
    );
    assert.equal((readable.messages as unknown[]).length, 2);
    assert.deepEqual([deleted.deleted, gone.code], [true, 'NOT_FOUND']);
  });

  test('is a resource that can be followed', async () => {
    const id = await start();
    await client.call('resources/subscribe', { uri: `conversation://${id}` });
    world.api.script(says('Noted.'));
    await send(id, 'Remember me.');

    const updated = await client.messages.notified('notifications/resources/updated');
    const { result } = await client.call('resources/read', { uri: `conversation://${id}` });
    const missing = await client.call('resources/read', { uri: 'conversation://nobody' });
    const templates = await client.call('resources/templates/list');

    assert.partialDeepStrictEqual(updated.params, { uri: `conversation://${id}` });
    const [content] = (result?.contents ?? []) as { text: string }[];
    assert.partialDeepStrictEqual(JSON.parse(content?.text ?? ''), {
      conversation_id: id,
      history: [{ text: 'Remember me.' }, { text: 'Noted.' }],
    });
    assert.ok(missing.error);
    assert.match(JSON.stringify(templates), /conversation:\/\/\{id\}/);
  });

  test('runs one turn at a time, which can be cancelled and is kept as far as it came', async () => {
    const id = await start();
    const answer = says('A long story begins.');
    world.api.script({ answer, holdAfter: 6 });
    const begun = client.messages.notified('notifications/progress');
    const running = client.call('tools/call', {
      name: 'conversation_send',
      arguments: { conversation_id: id, text: 'Tell me a story.' },
      _meta: { progressToken: 'story' },
    });
    await begun;

    const second = await client.tools.refusal('conversation_send', { conversation_id: id, text: 'Faster!' });
    const cancelled = await client.tools.call('conversation_cancel', { conversation_id: id });
    const told = (await running).result?.structuredContent as Record<string, unknown>;
    world.api.script(says('And so on.'));
    const next = await send(id, 'Go on.');

    assert.deepEqual(
      [second.code, cancelled.turn, told.status, next.text],
      ['BUSY', 'cancelled', 'cancelled', 'And so on.'],
    );
    assert.match(String(told.text), /^A /);
  });

  test('ends its turn when the client cancels its request', async () => {
    const id = await start();
    world.api.script({ answer: says('Never heard.'), holdAfter: 3 });
    const asked = world.api.nextRequest();
    client.send({
      jsonrpc: '2.0',
      id: 'to-cancel',
      method: 'tools/call',
      params: { name: 'conversation_send', arguments: { conversation_id: id, text: 'Hi' } },
    });
    await asked;
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'to-cancel' } });

    for (;;) {
      const { conversations } = await client.tools.call('conversation_list', { limit: 1 });
      if ((conversations as { turn: string }[])[0]?.turn === 'cancelled') break;
    }
  });

  test('answers without waiting, and sends what has a client’s id once', async () => {
    const id = await start();
    world.api.script(says('Once.'), says('Twice.'));
    const once = { client_message_id: 'k1' };
    const asked = world.api.nextRequest();

    const begun = await send(id, 'Only once', { ...once, wait: false });
    await asked;
    let again = await send(id, 'Only once', once);
    while (again.status === 'running') again = await send(id, 'Only once', once);
    const other = await client.tools.refusal('conversation_send', {
      conversation_id: id,
      text: 'Another text',
      ...once,
    });

    assert.equal(begun.status, 'running');
    assert.partialDeepStrictEqual(again, { status: 'done', text: 'Once.' });
    assert.deepEqual([other.code, other.field], ['CONFLICT', 'client_message_id']);
    assert.equal(world.api.requests.length, 1);
  });

  test('runs several tools at once, and tells Claude which of them failed', async () => {
    const id = await start({ tools: ['*'] });
    const calls = [toolUse('list_sources'), toolUse('get_messages', { limit: 'many' }), toolUse('no_such_tool')];
    world.api.script(answerOf([{ type: 'text', text: 'Looking. ' }, ...calls]), says('Done.'));

    const answer = await send(id, 'What is new?');

    assert.partialDeepStrictEqual(answer, {
      status: 'done',
      text: 'Looking. \n\nDone.',
      tool_calls: [
        { tool: 'list_sources', is_error: false },
        { tool: 'get_messages', is_error: true },
        { tool: 'no_such_tool', is_error: true },
      ],
    });
    const [first, second] = world.api.requests;
    const results = second?.body.messages.at(-1)?.content ?? [];
    assert.deepEqual(
      results.map(({ type, is_error: isError }) => [type, isError ?? false]),
      [
        ['tool_result', false],
        ['tool_result', true],
        ['tool_result', true],
      ],
    );
    assert.match(JSON.stringify(results[0]), /not an instruction to you/);
    const names = first?.body.tools?.map(({ name }) => name) ?? [];
    assert.ok(names.includes('search_messages') && names.includes('send_email'));
    assert.deepEqual(names, names.toSorted(), 'in one order, so that the cache of prompts is used');
    assert.deepEqual(
      names.filter((name) => /^(conversation|claude|ask|servers)_/.test(name)),
      [],
    );
  });

  test('offers Claude only the tools of its list', async () => {
    const id = await start({ tools: ['list_*', 'get_messages'] });
    world.api.script(calling('search_messages', { query: 'x' }), says('I cannot.'));

    const answer = await send(id, 'Search');

    assert.deepEqual(
      world.api.requests[0]?.body.tools?.map(({ name }) => name),
      ['get_messages', 'list_accounts', 'list_chats', 'list_drafts', 'list_folders', 'list_sources'],
    );
    assert.partialDeepStrictEqual(answer, { tool_calls: [{ tool: 'search_messages', is_error: true }] });
  });

  test('has its tools on an endpoint of its own, and prompts for code', async () => {
    const program = startStdio({ home: `${world.home}-2`, env: world.env }, ['--only', 'claude']);
    await program.initialize();
    const args = { code: '```x```', language: 'js' };
    const alone = {
      tools: await program.call('tools/list'),
      review: await program.call('prompts/get', { name: 'code_review', arguments: args }),
      prompts: await program.call('prompts/list'),
    };
    await program.stop();

    assert.deepEqual(namesIn(alone.tools.result?.tools), TOOLS);
    assert.deepEqual(namesIn(alone.prompts.result?.prompts), ['code_review', 'debug_help', 'explain_code']);
    assert.match(JSON.stringify(alone.review.result), /````js\\n```x```\\n````/);
  });
});

function namesIn(list: unknown): string[] {
  return (list as { name: string }[]).map(({ name }) => name);
}

describe('conversations of tokens', () => {
  test('are seen by their own token and the owner only', async (context) => {
    const world = await claudeHome(temporaryFolder((clean) => context.after(clean)));
    const program = await httpIn(world);
    const { rest } = program;
    const tokenOf = async (name: string) =>
      String(
        (await rest('POST', 'tokens', { name, scopes: ['claude:read', 'claude:write', 'claude:send'] })).body.token,
      );
    const [one, two] = [await tokenOf('one'), await tokenOf('two')];
    world.api.script(says('For one only.'));
    const { body } = await rest('POST', 'conversations', { title: 'Of one' }, one);
    const path = `conversations/${body.conversation_id}`;

    const sent = await rest('POST', `${path}/messages`, { text: 'Hi' }, one);
    const others = await Promise.all([
      rest('GET', `${path}/messages`, undefined, two),
      rest('POST', `${path}/messages`, { text: 'Hi' }, two),
      rest('DELETE', path, undefined, two),
      rest('GET', 'conversations/search?query=only', undefined, two),
      rest('GET', 'conversations', undefined, two),
    ]);
    const owners = await rest('GET', 'conversations');
    const offered = world.api.requests[0]?.body.tools ?? [];
    const ended = await program.stop();
    const { stdout } = await commandsIn(world)(['audit', 'list', '--json']);
    await commandsIn(world)(['daemon', 'stop']);
    world.api.close();

    assert.deepEqual([sent.code, sent.body.text], [200, 'For one only.']);
    assert.deepEqual(
      others.map(({ code }) => code),
      [404, 404, 404, 200, 200],
    );
    assert.deepEqual([others[3]?.body.messages, others[4]?.body.conversations], [[], []]);
    assert.equal(owners.body.conversations.length, 1);
    assert.deepEqual(offered, [], 'a token without other scopes has no tools for Claude');
    assert.equal(ended.stdout, '');
    assert.match(stdout, /conversation send/);
  });
});
