import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { ACCEPT, post, postStateless } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const home = join(temporaryFolder(after), 'home');
const CHATS = ['Ops', 'Family', 'Reading group', 'Grace Hopper'];
const TEXTS = [
  'The deploy is done, thanks everyone.',
  'Who brings the cake for the party on Sunday?',
  'Chapter four until the next week, please.',
  'The build fails since the last change of the parser; I will look into it after lunch.',
];

describe('the form of answers', { timeout: 300_000 }, () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yaml'), 'sources: { hook: { kind: webhook, name: Hook } }\n');
    program = await startHttp({ home });
    const messages = Array.from({ length: 20 }, (_, index) => ({
      chat: CHATS[index % CHATS.length],
      sender: ['Ada Lovelace', 'Ibrahim', 'Yuki'][index % 3],
      text: TEXTS[index % TEXTS.length],
      timestamp: new Date(Date.UTC(2026, 10, 1, index)).toISOString(),
    }));
    const posted = await fetch(`${program.base}/api/v1/sources/hook/messages`, {
      method: 'POST',
      headers: ACCEPT,
      body: JSON.stringify(messages),
    });
    assert.equal(posted.status, 200, await posted.text());
  });
  after(async () => {
    await program.stop();
    removeHome(home);
  });

  async function ask(method: string, params: object, client = 'a test'): Promise<JsonObject> {
    const message = request(method, stateless(params));
    const meta = (message.params as { _meta: Record<string, unknown> })._meta;
    meta['io.modelcontextprotocol/clientInfo'] = { name: client, version: '1' };
    const { messages } = await postStateless(program.url, message);
    assert.ok(messages[0]?.result, JSON.stringify(messages));
    return messages[0].result;
  }

  const textIn = ({ content }: JsonObject) => (content as { text: string }[]).map(({ text }) => text).join('\n');

  for (const [name, args] of [
    ['get_messages', { limit: 20 }],
    ['get_messages', { source: 'hook', limit: 20 }],
    ['search_messages', { query: 'the OR please', limit: 20 }],
  ] as const) {
    test(`${name} ${JSON.stringify(args)}: the structure has the fields of the specification, and at most 1.5 times the bytes of the text`, async () => {
      const answer = await ask('tools/call', { name, arguments: args });

      const { messages } = answer.structuredContent as { messages: JsonObject[] };
      const [text, structure] = [textIn(answer), JSON.stringify(answer.structuredContent)].map((each) =>
        Buffer.byteLength(each),
      );
      assert(messages.length >= 15, `${messages.length} messages`);
      assert((structure ?? 0) <= 1.5 * (text ?? 0), `${structure} bytes of structure for ${text} of text`);
      for (const message of messages) {
        for (const field of ['id', 'chat_id', 'sender', 'content', 'timestamp']) {
          assert.equal(typeof message[field], 'string', field);
        }
        for (const field of ['snippet', 'content_type', 'source']) assert.equal(message[field], undefined, field);
      }
    });
  }

  test('REST has all fields of each message', async () => {
    const answer = await fetch(`${program.base}/api/v1/messages?limit=20`);
    const { messages } = (await answer.json()) as { messages: JsonObject[] };

    for (const { source, chat, sender_id: sender, content_type: type } of messages) {
      assert.deepEqual([source, typeof chat, typeof sender, type], ['hook', 'string', 'string', 'text']);
    }
  });

  test('a client that shows only text gets text, and tools without schemas of answers', async () => {
    const client = 'gemini-cli-mcp-client-switchboard';

    const answer = await ask('tools/call', { name: 'get_messages', arguments: {} }, client);
    const failed = await ask('tools/call', { name: 'get_messages', arguments: { since: 'x' } }, client);
    const { tools } = (await ask('tools/list', {}, client)) as { tools: JsonObject[] };

    assert.deepEqual([answer.structuredContent, failed.structuredContent], [undefined, undefined]);
    assert.match(textIn(answer), /Ada Lovelace: /);
    assert.equal(failed.isError, true);
    assert(tools.length > 0 && tools.every(({ outputSchema }) => outputSchema === undefined));
  });

  test('a client that shows only the structure gets it, and a line of text; an error is in both', async () => {
    const answer = await ask('tools/call', { name: 'get_messages', arguments: {} }, 'claude-code');
    const failed = await ask('tools/call', { name: 'get_messages', arguments: { since: 'x' } }, 'claude-code');

    assert.equal((answer.structuredContent as { messages: unknown[] }).messages.length, 20);
    assert.equal(textIn(answer), 'The result is in the structured content.');
    assert.match(textIn(failed), /since/);
  });

  test('an unknown client gets both; the name that a session began with counts too', async () => {
    const opened = await post(
      program.url,
      request('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'opencode', version: '1' },
      }),
    );
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-06-18',
    };
    const { messages } = await post(
      program.url,
      request('tools/call', { name: 'list_sources', arguments: {} }),
      session,
    );

    const unknown = await ask('tools/call', { name: 'list_sources', arguments: {} });

    assert.equal(messages[0]?.result?.structuredContent, undefined, 'opencode shows text');
    assert.ok(unknown.structuredContent);
    assert.match(textIn(unknown), /hook/);
  });
});
