import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { CHAT_DOORS, type ChatClient } from '../support/chat/doors.ts';
import { COUNT, NEWEST, post, prepareChatHome } from '../support/chat/prepared-home.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);

for (const [door, open] of Object.entries(CHAT_DOORS)) {
  describe(`chat only ${door}`, { timeout: 300_000 }, () => {
    const home = join(folder, door.replaceAll(/\W+/g, '-'));
    let client: ChatClient;

    before(async () => {
      client = await open(await prepareChatHome(home), ['--only', 'chat']);
    });
    after(() => client?.stop());

    async function ask(method: string, params?: object): Promise<JsonObject> {
      const { result, error } = await client.ask(method, params);
      assert.ok(result, JSON.stringify(error));
      return result;
    }

    async function call(name: string, args: object = {}): Promise<JsonObject> {
      const { isError, structuredContent } = await ask('tools/call', { name, arguments: args });
      assert.notEqual(isError, true, JSON.stringify(structuredContent));
      return structuredContent as JsonObject;
    }

    async function refusal(name: string, args: object = {}) {
      const { isError, structuredContent } = await ask('tools/call', { name, arguments: args });
      assert.equal(isError, true, JSON.stringify(structuredContent));
      return (structuredContent as { error: { code: string; message: string; hint?: string } }).error;
    }

    const messages = async (args: object) => (await call('get_messages', args)).messages as JsonObject[];
    const numbers = async (args: object) => (await messages(args)).map(numberOf);

    test('CHAT-25 exactly three tools are listed, each with a schema and a description', async () => {
      const result = await ask('tools/list');

      const tools = result.tools as { name: string; description: string; inputSchema: { type: string } }[];
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['get_messages', 'list_chats', 'list_sources'],
      );
      for (const { description, inputSchema } of tools) {
        assert(description.length > 20);
        assert.equal(inputSchema.type, 'object');
      }
    });

    test('CHAT-04 CHAT-05 every configured source is listed, with whether it is connected', async () => {
      const { sources } = await call('list_sources');

      assert.deepEqual(
        (sources as JsonObject[]).map(({ id, name, is_connected }) => [id, name, is_connected]),
        [
          ['libera', 'Libera', false],
          ['signal', 'Signal', false],
          ['telegram', 'Telegram', true],
          ['whatsapp', 'WhatsApp', true],
        ],
      );
    });

    test('CHAT-06 chats have id, name, type and number of participants', async () => {
      const { chats } = await call('list_chats', { source: 'telegram' });

      const antti = (chats as JsonObject[]).find(({ name }) => name === 'Antti');
      assert.partialDeepStrictEqual(antti, { id: 'Antti', name: 'Antti', type: 'direct', participant_count: 3 });
      assert.equal((chats as JsonObject[]).length, 7);
    });

    test('CHAT-07 chats are filtered by type, within `filter` or beside it', async () => {
      const direct = await call('list_chats', { source: 'telegram', filter: { chat_type: 'direct' } });
      const flat = await call('list_chats', { source: 'telegram', chat_type: 'direct' });
      const groups = await call('list_chats', { source: 'telegram', filter: { chat_type: 'group' } });

      assert.deepEqual(namesIn(direct), ['Antti']);
      assert.deepEqual(flat, direct);
      assert.equal(namesIn(groups).length, 6);
      assert(!namesIn(groups).includes('Antti'));
    });

    test('CHAT-08 a part of its name finds a chat', async () => {
      const { filter, flat } = {
        filter: await call('list_chats', { source: 'telegram', filter: { name_pattern: 'Fam' } }),
        flat: await call('list_chats', { source: 'telegram', name_pattern: 'fam' }),
      };

      assert.deepEqual(namesIn(filter), ['Family']);
      assert.deepEqual(namesIn(flat), ['Family']);
    });

    test('chats are listed in pages', async () => {
      const first = await call('list_chats', { source: 'telegram', limit: 4 });
      const second = await call('list_chats', { source: 'telegram', limit: 4, cursor: first.next_cursor });

      assert.equal(new Set([...namesIn(first), ...namesIn(second)]).size, 6);
      assert.equal(second.next_cursor, undefined);
    });

    test('CHAT-09 a chat is read by its name or its id', async () => {
      const [byName] = await messages({ source: 'telegram', chat: 'Café ☕' });
      const [byId] = await messages({ source: 'telegram', chat: '+1/2=3' });
      const [byPart] = await messages({ source: 'telegram', chat: 'cafe' });

      const { id, ...fields } = byName ?? {};
      assert.deepEqual(fields, {
        chat_id: '+1/2=3',
        chat: 'Café ☕',
        sender: 'José',
        content: 'Bonjour',
        timestamp: '2026-01-19T12:00:00.003Z',
      });
      assert.equal(typeof id, 'string');
      assert.deepEqual(byId, byName);
      assert.deepEqual(byPart, byName);
    });

    test('CHAT-10 since is an inclusive and before an exclusive bound', async () => {
      const minute = (ago: number) => new Date(NEWEST - ago * 60_000).toISOString();

      const found = await numbers({ source: 'telegram', chat: 'Antti', since: minute(10), before: minute(5) });

      assert.deepEqual(found, [994, 993, 992, 991, 990]);
      assert.deepEqual(await numbers({ source: 'telegram', chat: 'Antti', since: '2w' }), []);
    });

    test('CHAT-11 messages are filtered by sender', async () => {
      const query = { source: 'telegram', chat: 'Antti', sender: 'alice', limit: 500 };
      const found = await messages({ ...query, full: true });
      const cut = await call('get_messages', query);

      assert.equal(found.length, 334);
      assert.deepEqual([cut.is_cut, typeof cut.next_cursor], [true, 'string'], 'over 20 KB');
      assert(found.every(({ sender }) => sender === 'Alice'));
    });

    test('CHAT-12 messages are filtered by text', async () => {
      const found = await numbers({ source: 'telegram', chat: 'Antti', search: 'MEETIN' });

      assert.deepEqual(found, [1000, 900, 800, 700, 600, 500, 400, 300, 200, 100]);
    });

    test('CHAT-13 limit returns exactly as many messages, the newest', async () => {
      const found = await numbers({ source: 'telegram', chat: 'Antti', limit: 10 });

      assert.deepEqual(found, [1000, 999, 998, 997, 996, 995, 994, 993, 992, 991]);
    });

    test('CHAT-14 without a chat all chats are searched, and each message names its chat', async () => {
      const found = await messages({ source: 'telegram', search: 'project' });
      const everywhere = await call('get_messages', { search: 'the fall' });

      assert.deepEqual(
        found.map(({ chat_id: chat }) => chat),
        ['Friends', 'Work'],
      );
      assert.partialDeepStrictEqual(everywhere, {
        messages: [{ source: 'libera', chat_id: '#ops' }],
        stale_sources: ['libera', 'signal'],
      });
    });

    test('CHAT-17 an offset skips messages, and a cursor continues after the last page while messages arrive', async () => {
      const query = { source: 'telegram', chat: 'Antti', limit: 100 };
      const skipped = await numbers({ ...query, offset: 100 });
      const first = await call('get_messages', query);

      await post(home, { chat: 'Antti', chat_type: 'direct', sender: 'Bob', text: 'message 1001' });
      const second = await call('get_messages', { ...query, cursor: first.next_cursor });

      const expected = Array.from({ length: 100 }, (_, index) => 900 - index);
      assert.deepEqual(skipped, expected);
      assert.deepEqual((second.messages as JsonObject[]).map(numberOf), expected);
    });

    test('all pages together contain each message once', async () => {
      const seen = new Set<number>();
      let cursor: unknown;
      do {
        const page = await call('get_messages', {
          source: 'telegram',
          chat: 'Antti',
          limit: 300,
          before: '2026-01-21',
          ...(cursor === undefined ? {} : { cursor }),
        });
        for (const message of page.messages as JsonObject[]) seen.add(numberOf(message));
        cursor = page.next_cursor;
      } while (cursor !== undefined);

      assert.equal(seen.size, COUNT);
    });

    test('a name that matches several chats returns messages of all, and lists them', async () => {
      const found = await call('get_messages', { source: 'telegram', chat: 'Twins' });

      assert.deepEqual(
        (found.messages as JsonObject[]).map(({ chat_id }) => chat_id),
        ['twin-2', 'twin-1'],
      );
      assert.deepEqual((found.matched_chats as JsonObject[]).map(({ id }) => id).sort(), ['twin-1', 'twin-2']);
    });

    test('a source that was connected once is readable, and is marked stale', async () => {
      const found = await call('get_messages', { source: 'libera' });

      assert.partialDeepStrictEqual(found, { messages: [{ content: 'before the fall' }], is_connected: false });
      assert.match(String(found.stale_since), /^20\d\d-/);
    });

    test('CHAT-20 an unknown source is an error that lists the known ones', async () => {
      const error = await refusal('list_chats', { source: 'matrix' });

      assert.partialDeepStrictEqual(error, { code: 'SOURCE_NOT_FOUND', message: "Source 'matrix' not found" });
      assert.match(error.hint ?? '', /telegram/);
    });

    test('CHAT-21 an unknown chat is an error that suggests a similar name', async () => {
      const error = await refusal('get_messages', { source: 'telegram', chat: 'Invalid' });
      const near = await refusal('get_messages', { source: 'telegram', chat: 'Famliy' });

      assert.partialDeepStrictEqual(error, {
        code: 'CHAT_NOT_FOUND',
        message: "Chat 'Invalid' not found in source 'telegram'",
      });
      assert.equal(near.hint, 'Did you mean "Family"?');
    });

    test('CHAT-22 a source that was never connected is an error that explains how to connect it', async () => {
      const errors = [
        await refusal('list_chats', { source: 'signal' }),
        await refusal('get_messages', { source: 'signal' }),
      ];

      for (const { code, message } of errors) {
        assert.equal(code, 'SOURCE_NOT_CONNECTED');
        assert.match(message, /^Source 'signal' is not connected\. .{20}/);
      }
    });

    test('CHAT-23 an invalid filter is rejected with the valid forms', async () => {
      const date = await refusal('get_messages', { source: 'telegram', since: 'invalid-date' });
      const turned = await refusal('get_messages', { since: '2026-02-01', before: '2026-01-01' });
      const limit = await refusal('get_messages', { limit: 0 });
      const cursor = await refusal('get_messages', { cursor: 'x' });

      for (const { code } of [date, turned, limit, cursor]) assert.equal(code, 'INVALID_PARAMETER');
      assert.match(date.message, /7d.*yesterday.*2026-11-16.*2026-11-16T08:30:00Z/);
      assert.match(turned.message, /since must be earlier than before/);
    });

    test('CHAT-15 CHAT-16 CHAT-17 a chat resource is read as lines, filtered by its query parameters', async () => {
      const read = async (rest: string) => {
        const result = await ask('resources/read', { uri: `messages://telegram/${rest}` });
        const [content] = result.contents as { text: string; mimeType: string; _meta: JsonObject }[];
        return { lines: content?.text.split('\n') ?? [], meta: content?._meta ?? {} };
      };

      const window = await read('Antti?before=2026-01-21&limit=100&offset=100');
      const cursor = await read(`Antti?limit=100&cursor=${window.meta['switchboard/next_cursor']}`);
      const filtered = await read('Antti?search=meeting&sender=alice&limit=2');
      const byName = await read(encodeURIComponent('Café ☕'));
      const old = await read('Antti?since=7d&sender=alice');
      await post(home, { chat: 'Antti', sender: 'Carol', text: 'just now' });
      const recent = await read('Antti?since=7d&sender=carol');
      const forged = await read('Friends');

      assert.equal(window.lines.length, 100);
      assert.equal(window.lines[0], '[2026-01-20T08:41:00.000Z] Antti: message 801');
      assert.match(window.lines.at(-1) ?? '', /: message 900, about the meeting$/);
      assert.match(cursor.lines.at(-1) ?? '', /: message 800, about the meeting$/);
      assert.deepEqual(
        filtered.lines.map((line) => line.replace(/^\[.*?\] /, '')),
        ['Alice: message 700, about the meeting', 'Alice: message 1000, about the meeting'],
      );
      assert.deepEqual(byName.lines, ['[2026-01-19T12:00:00.003Z] José: Bonjour']);
      assert.deepEqual(old.lines, ['']);
      assert.match(recent.lines.join('\n'), /^\[20\d\d-\S+Z\] Carol: just now$/);
      assert.deepEqual(forged.lines, [
        '[2026-01-19T12:00:00.002Z] Noor: A project for the weekend\\n[2026-01-01] Mum: forged',
      ]);
    });

    test('a chat resource rejects ambiguous or unknown chats and invalid parameters', async () => {
      const errorOf = async (uri: string) => (await client.ask('resources/read', { uri })).error;

      const ambiguous = await errorOf('messages://telegram/Twins');
      assert.partialDeepStrictEqual(ambiguous, { data: { code: 'CHAT_AMBIGUOUS' } });
      assert.match(String(ambiguous?.data?.hint), /"twin-1".*"twin-2"|"twin-2".*"twin-1"/);
      assert.partialDeepStrictEqual(await errorOf('messages://matrix/Antti'), { data: { code: 'SOURCE_NOT_FOUND' } });
      assert.partialDeepStrictEqual(await errorOf('messages://telegram/Nobody'), { data: { code: 'CHAT_NOT_FOUND' } });
      for (const query of ['limit=0', 'limit=x', 'colour=red', 'since=never', 'limit=1&limit=2', 'type=smell']) {
        assert.partialDeepStrictEqual(await errorOf(`messages://telegram/Antti?${query}`), {
          data: { code: 'INVALID_PARAMETER' },
        });
      }
    });

    test('CHAT-26 the template is listed with its parameters', async () => {
      const result = await ask('resources/templates/list');

      const [template] = result.resourceTemplates as { uriTemplate: string; description: string }[];
      assert.equal(template?.uriTemplate, 'messages://{source}/{chat}');
      for (const name of ['since', 'before', 'sender', 'search', 'limit', 'offset', 'cursor']) {
        assert(template?.description.includes(name));
      }
    });

    test('source and chat names are completed', async () => {
      const complete = async (ref: object, name: string, value: string, chosen?: object) => {
        const context = chosen === undefined ? {} : { context: { arguments: chosen } };
        const result = await ask('completion/complete', { ref, argument: { name, value }, ...context });
        return (result.completion as { values: string[] }).values;
      };
      const template = { type: 'ref/resource', uri: 'messages://{source}/{chat}' };
      const prompt = { type: 'ref/prompt', name: 'analyze_conversation' };

      assert.deepEqual(await complete(template, 'source', 'te'), ['telegram']);
      assert.deepEqual(await complete(template, 'chat', 'fam', { source: 'telegram' }), ['Family']);
      assert.deepEqual(await complete(prompt, 'chat', 'boo', { source: 'telegram' }), []);
      assert.deepEqual(await complete(prompt, 'chat', 'boo', { source: 'whatsapp' }), ['Book club']);
      assert.deepEqual((await complete(prompt, 'chat', 'twins')).sort(), ['twin-1', 'twin-2']);
    });

    test('CHAT-18 CHAT-19 the prompt contains the last hundred messages, the participants, the type and the name', async () => {
      const result = await ask('prompts/get', {
        name: 'analyze_conversation',
        arguments: { source: 'telegram', chat: 'Antti' },
      });

      const [message] = result.messages as { role: string; content: { text: string } }[];
      const text = message?.content.text ?? '';
      assert.match(text, /analyze the patterns of this conversation/i);
      assert.match(text, /^Name: Antti$/m);
      assert.match(text, /^Type: direct$/m);
      assert.match(text, /^Participants: (?=.*Alice)(?=.*Bob)(?=.*Antti)/m);
      assert.equal(text.match(/^> \[/gm)?.length, 100);
    });

    test('CHAT-18 the prompt is listed', async () => {
      const result = await ask('prompts/list');

      assert.deepEqual(
        (result.prompts as { name: string }[]).map(({ name }) => name),
        ['analyze_conversation'],
      );
    });
  });
}

function numberOf({ content }: JsonObject): number {
  return Number(/^message (\d+)/.exec(String(content))?.[1]);
}

function namesIn({ chats }: JsonObject): unknown[] {
  return (chats as JsonObject[]).map(({ name }) => name);
}
