import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readSse } from '../support/http/sse-reader.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import type { Message } from '../support/mcp/rpc-message.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const CONFIG = `
auth: { token: ${OWNER} }
sources:
  hook: { kind: webhook }
  other: { kind: webhook }
`;
const CONFIG_WITH_TOKEN = (hash: string) =>
  CONFIG.replace(
    'auth: {',
    `auth: { tokens: [{ name: filed, token_hash: ${hash}, scopes: ["chat:read"], chats: ["other:*"] }],`,
  );

describe('a token with a grant for some chats', () => {
  const home = join(temporaryFolder(after), 'home');
  const owner = { authorization: `Bearer ${OWNER}`, 'content-type': 'application/json' };
  let program: Awaited<ReturnType<typeof startHttp>>;
  let api: string;
  let reader: { authorization: string };
  let session: Awaited<ReturnType<typeof openSession>>;

  before(async () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yaml'), CONFIG);
    program = await startHttp({ home });
    api = `${program.base}/api/v1`;
    await post('hook', { chat: 'dev', text: 'for developers' });
    await post('hook', { chat: 'ops', text: 'a secret of operations', id: 'hidden' });
    await post('other', { chat: 'elsewhere', text: 'another secret' });
    const options = ['--scopes', 'chat:read,chat:write,system:read', '--chats', 'hook:dev', '--json'];
    const { stdout, stderr } = await runProgram(['token', 'add', 'reader', ...options], { home });
    assert.partialDeepStrictEqual(JSON.parse(stdout || '{}'), { chats: ['hook:dev'] }, stderr);
    reader = { authorization: `Bearer ${JSON.parse(stdout).token}` };
    session = await openSession(program.url, reader);
  });

  after(() => program.stop());

  async function post(source: string, message: object, headers: Record<string, string> = owner) {
    const body = JSON.stringify([{ sender: 'ada', ...message }]);
    return fetch(`${api}/sources/${source}/messages`, { method: 'POST', headers, body });
  }

  async function call(name: string, args: object = {}): Promise<Record<string, unknown>> {
    const { result } = await session.call('tools/call', { name, arguments: args });
    return result?.structuredContent as Record<string, unknown>;
  }

  const codeOf = ({ error }: Message) => (error?.data as { code?: string } | undefined)?.code;

  test('finds only those chats in every list and every search', async () => {
    const [sources, chats, messages, found] = [
      await call('list_sources'),
      await call('list_chats', { source: 'hook' }),
      await call('get_messages'),
      await call('search_messages', { query: 'secret' }),
    ];

    assert.partialDeepStrictEqual(sources, { sources: [{ id: 'hook' }] });
    assert.equal((sources.sources as unknown[]).length, 1);
    assert.deepEqual(
      (chats.chats as { name: string }[]).map(({ name }) => name),
      ['dev'],
    );
    assert.deepEqual(
      (messages.messages as { content: string }[]).map(({ content }) => content),
      ['for developers'],
    );
    assert.deepEqual(found.messages, []);
    for (const path of ['/sources/hook/messages', '/messages', '/search?q=secret', '/sources', '/sources/hook/chats']) {
      const answer = await fetch(`${api}${path}`, { headers: reader });
      assert.equal(answer.status, 200, path);
      assert.doesNotMatch(await answer.text(), /secret|"ops"|elsewhere|other/, path);
    }
  });

  test('finds nothing else by any operator, under the former name of the search too', async () => {
    const queries = ['-absent', 'NOT in:dev', 'in:ops OR in:elsewhere', 'secret OR from:ada', 'to:ops', 'after:1d'];

    for (const query of queries) {
      for (const name of ['search_messages', 'search']) {
        const { messages } = (await call(name, { query })) as { messages: { content: string }[] };
        assert.ok(
          messages.every(({ content }) => content === 'for developers'),
          `${name} ${query}`,
        );
      }
      const answer = await fetch(`${api}/search?q=${encodeURIComponent(query)}&sort=relevance`, { headers: reader });
      assert.doesNotMatch(await answer.text(), /secret|"ops"|elsewhere|other/, query);
    }
    assert.partialDeepStrictEqual(await call('search_messages', { query: 'source:other' }), {
      error: { code: 'SOURCE_NOT_FOUND', hint: 'There is: hook.' },
    });
  });

  test('does not find another chat by its name, nor a message of it by its id', async () => {
    const everything = await fetch(`${api}/sources/hook/messages?chat=ops`, { headers: owner });
    const [hidden] = ((await everything.json()) as { messages: { id: string }[] }).messages;

    const answers = [
      await call('get_messages', { source: 'hook', chat: 'ops' }),
      await call('list_chats', { source: 'other' }),
      await call('get_thread', { message_id: hidden?.id }),
    ];
    const read = await session.call('resources/read', { uri: 'messages://hook/ops' });
    const prompt = await session.call('prompts/get', {
      name: 'analyze_conversation',
      arguments: { source: 'hook', chat: 'ops' },
    });
    const own = await session.call('resources/read', { uri: 'messages://hook/dev' });

    assert.deepEqual(
      answers.map(({ error }) => (error as { code: string }).code),
      ['CHAT_NOT_FOUND', 'SOURCE_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
    );
    assert.deepEqual([codeOf(read), codeOf(prompt)], ['CHAT_NOT_FOUND', 'CHAT_NOT_FOUND']);
    assert.match(JSON.stringify(own.result), /for developers/);
  });

  test('gets completions only for those chats', async () => {
    const complete = async (name: string, value: string) => {
      const ref = { type: 'ref/resource', uri: 'messages://{source}/{chat}' };
      const { result } = await session.call('completion/complete', { ref, argument: { name, value } });
      return (result?.completion as { values: string[] } | undefined)?.values;
    };

    assert.deepEqual(await complete('chat', ''), ['dev']);
    assert.deepEqual(await complete('source', ''), ['hook']);
  });

  test('is notified only of those chats, by subscription and in the event stream', async (context) => {
    const listening = await session.listen();
    context.after(() => listening.close());
    await session.call('resources/subscribe', { uri: 'messages://*/*' });
    const refused = await session.call('resources/subscribe', { uri: 'messages://hook/ops' });
    const events = await readSse(context, `${api}/events`, reader);
    const watched = await readSse(context, `${api}/events?types=message.`, owner);

    await post('hook', { chat: 'ops', text: 'hidden news' });
    await post('other', { chat: 'elsewhere', text: 'hidden news' });
    await post('hook', { chat: 'dev', text: 'open news' });
    const [all, told] = [await watched.take(3), await events.take(1)];
    const update = await listening.messages.notified('notifications/resources/updated');

    assert.equal(codeOf(refused), 'CHAT_NOT_FOUND');
    assert.equal(all.length, 3);
    assert.match(JSON.stringify(told), /open news/);
    assert.match(JSON.stringify(update), /"messages:\/\/hook\/dev".*open news/);
  });

  test('can add messages only to those chats', async () => {
    const json = { ...reader, 'content-type': 'application/json' };

    const [there, elsewhere] = [
      await post('hook', { chat: 'dev', text: 'mine' }, json),
      await post('hook', { chat: 'ops', text: 'not mine' }, json),
    ];

    assert.deepEqual([there.status, elsewhere.status], [200, 403]);
  });

  test('can be declared in the configuration file too, and applies as soon as the file changes', async () => {
    const hash = createHash('sha256').update('a-token-of-the-file').digest('hex');
    writeFileSync(join(home, 'config.yaml'), CONFIG_WITH_TOKEN(hash));
    const headers = { authorization: 'Bearer a-token-of-the-file' };

    let answer = await fetch(`${api}/sources`, { headers });
    while (answer.status === 401) answer = await fetch(`${api}/sources`, { headers });

    const { sources } = (await answer.json()) as { sources: { id: string }[] };
    assert.deepEqual(
      sources.map(({ id }) => id),
      ['other'],
    );
  });
});
