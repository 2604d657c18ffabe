import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { ACCEPT, postStateless } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const home = join(temporaryFolder(after), 'home');
const COUNT = 20;
const numbers = Array.from({ length: COUNT }, (_, index) => index);

const CONFIGURATION = [
  'sources:',
  ...numbers.map((index) => `  hook-${index}: { kind: webhook, name: Builds of team ${index} }`),
  'mcp: { local_scopes: [servers:manage] }',
  'claude: { api_key: sk-none }',
  '',
].join('\n');

describe('the structured content of tools that list', { timeout: 300_000 }, () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yaml'), CONFIGURATION);
    program = await startHttp({ home });
    const text = 'The build of the last change is done.';
    await create(
      'sources/hook-0/messages',
      numbers.map((index) => ({ id: `r${index}`, chat: `Room ${index}`, sender: 'Ada', text })),
    );
    await create(
      'sources/hook-1/messages',
      numbers.map((index) => ({ id: `t${index}`, chat: 'Builds', sender: `Agent ${index}`, text })),
    );
    for (const index of numbers) {
      await create('conversations', { title: `Plan ${index} for the week` });
      await call('servers_create', {
        name: `server ${index}`,
        package: { type: 'npm', identifier: `@example/server-${index}` },
        transport: { type: 'stdio' },
        enabled: false,
      });
    }
  });
  after(async () => {
    await program.stop();
    removeHome(home);
  });

  async function create(path: string, body: object): Promise<void> {
    const answer = await fetch(`${program.base}/api/v1/${path}`, {
      method: 'POST',
      headers: ACCEPT,
      body: JSON.stringify(body),
    });
    assert(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
  }

  async function call(name: string, args: object): Promise<{ text: string; structure: JsonObject }> {
    const { messages } = await postStateless(program.url, request('tools/call', stateless({ name, arguments: args })));
    const answer = messages[0]?.result;
    assert(answer?.structuredContent && answer.isError !== true, JSON.stringify(messages));
    const text = (answer.content as { text: string }[]).map((each) => each.text).join('\n');
    return { text, structure: answer.structuredContent as JsonObject };
  }

  for (const [name, key, fields, args = {}] of [
    ['list_sources', 'sources', ['id', 'name', 'is_connected']],
    ['list_chats', 'chats', ['id', 'name', 'type', 'participant_count'], { source: 'hook-0' }],
    ['get_messages', 'messages', ['id', 'chat_id', 'sender', 'content', 'timestamp'], { source: 'hook-0' }],
    ['get_messages', 'messages', ['id', 'chat_id', 'sender', 'content', 'timestamp'], { chat: 'Builds' }],
    [
      'search_messages',
      'messages',
      ['id', 'chat_id', 'sender', 'content', 'timestamp'],
      { query: 'build', source: 'hook-1' },
    ],
    ['servers_list', 'servers', ['id', 'name', 'status']],
    ['conversation_list', 'conversations', ['conversation_id', 'title', 'status', 'model']],
  ] as [string, string, string[], object?][]) {
    test(`${name} ${JSON.stringify(args)} has its fields, in at most 1.5 times the bytes of the text`, async () => {
      const { text, structure } = await call(name, args);

      const items = structure[key] as JsonObject[];
      const bytes = Buffer.byteLength(JSON.stringify(structure));
      assert.equal(items.length, COUNT);
      assert(items.every((item) => fields.every((field) => item[field] !== undefined)));
      assert(bytes <= 1.5 * Buffer.byteLength(text), `${bytes} bytes of structure for ${Buffer.byteLength(text)}`);
    });
  }

  test('get_thread has at most 1.5 times the bytes of the text', async () => {
    const found = await call('get_messages', { source: 'hook-1', limit: 10 });
    const { id } = (found.structure.messages as JsonObject[])[9] ?? {};

    const { text, structure } = await call('get_thread', { message_id: id, before: 10, after: 10 });

    assert.equal((structure.messages as JsonObject[]).length, COUNT);
    const bytes = Buffer.byteLength(JSON.stringify(structure));
    assert(bytes <= 1.5 * Buffer.byteLength(text), `${bytes} bytes of structure for ${Buffer.byteLength(text)}`);
  });

  test('REST has all fields', async () => {
    const read = async (path: string) => (await (await fetch(`${program.base}/api/v1/${path}`)).json()) as JsonObject;

    const { sources } = (await read('sources')) as { sources: JsonObject[] };
    const { servers } = (await read('servers')) as { servers: JsonObject[] };
    const { conversations } = (await read('conversations')) as { conversations: JsonObject[] };

    assert.partialDeepStrictEqual(sources[1], { state: 'ready', can_send: false, can_stream: true });
    assert.partialDeepStrictEqual(servers[0], { enabled: false, trusted: false, start: 'eager' });
    assert.partialDeepStrictEqual(conversations[0], { turn: 'idle', usage: { input_tokens: 0 } });
  });
});
