import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { post, prepareChatHome } from '../support/chat/prepared-home.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession, postStateless } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('chat among all capabilities', { timeout: 300_000 }, () => {
  const home = join(temporaryFolder(after), 'home');
  let server: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    server = await startHttp({ home: await prepareChatHome(home) });
  });
  after(() => server?.stop());

  async function command(...args: string[]) {
    const { code, stdout, stderr } = await runProgram(['chat', ...args], { home });
    return { code, stderr, lines: stdout.trimEnd().split(/\r?\n/), text: stdout };
  }

  async function rest(path: string) {
    const response = await fetch(`${server.base}/api/v1${path}`);
    return { status: response.status, body: (await response.json()) as JsonObject };
  }

  const contents = ({ messages }: JsonObject) => (messages as JsonObject[]).map(({ content }) => content);

  describe('tools of the combined endpoint', () => {
    let call: (name: string, args: object) => Promise<JsonObject>;

    before(async () => {
      const session = await openSession(server.url);
      call = async (name, args) => {
        const { result } = await session.call('tools/call', { name, arguments: args });
        return result ?? {};
      };
    });

    test('search finds whole words in all sources, and marks them', async () => {
      const { structuredContent, content } = await call('search_messages', { query: 'PROJECT' });

      assert.partialDeepStrictEqual(structuredContent, {
        matched: 'words',
        messages: [{ chat_id: 'Friends' }, { chat_id: 'Work', content: 'The project starts on Monday' }],
      });
      assert.match(JSON.stringify(content), /telegram\/Work \| Grace: The \*\*project\*\* starts on Monday \(id \d+\)/);
    });

    test('search falls back to parts of words, and reports it', async () => {
      const { structuredContent, content } = await call('search_messages', { query: 'onjou' });

      assert.partialDeepStrictEqual(structuredContent, { matched: 'part', messages: [{ content: 'Bonjour' }] });
      assert.match(JSON.stringify(content), /B\*\*onjou\*\*r .*No message has all these as whole words/);
    });

    test('search continues from its cursor with the same kind of match', async () => {
      const first = (await call('search_messages', { query: 'meeting', limit: 6 })).structuredContent as JsonObject;
      const second = await call('search_messages', { query: 'meeting', limit: 6, cursor: first.next_cursor });

      assert.equal((first.messages as unknown[]).length, 6);
      assert.equal(contents(second.structuredContent as JsonObject).length, 4);
      assert.equal((second.structuredContent as JsonObject).next_cursor, undefined);
    });

    test('what is no operator of ours is text, and a wrong one is an error that shows the place', async () => {
      for (const query of ['NEAR(a b)', '*', 'chat:x', '-', '%', "';--", 'NOT x', '{', '^', 'words : x']) {
        const { isError } = await call('search_messages', { query });

        assert.notEqual(isError, true, query);
      }
      for (const query of ['"', 'a" OR "b', '(', 'is:x', 'after:x', 'OR']) {
        const { isError, structuredContent } = await call('search_messages', { query });

        assert.equal(isError, true, query);
        assert.match(JSON.stringify(structuredContent), /INVALID_PARAMETER.*"field":"query","hint":"At: .*«/, query);
      }
    });

    test('the search is listed by its name, and answered by its former one', async () => {
      const session = await openSession(server.url);
      const { result } = await session.call('tools/list');
      const { tools } = result as { tools: JsonObject[] };
      const names = tools.map(({ name }) => name);
      const operators = { query: 'meeting -project OR in:Work', limit: 3 };

      assert.ok(names.includes('search_messages') && !names.includes('search'));
      assert.deepEqual(await call('search', operators), await call('search_messages', operators));
      const message = request('tools/call', stateless({ name: 'search', arguments: operators }));
      const { messages } = await postStateless(server.url, message);
      assert.match(JSON.stringify(messages[0]?.result), /"structuredContent":\{"messages":\[\{/);
    });

    test('get_thread returns a message with its context', async () => {
      const found = (await call('search_messages', { query: 'meeting', limit: 1 })).structuredContent as JsonObject;
      const [{ id } = {}] = found.messages as JsonObject[];

      const { structuredContent } = await call('get_thread', { message_id: id, before: 2, after: 2 });
      const missing = await call('get_thread', { message_id: '12' });

      assert.deepEqual(contents(structuredContent as JsonObject), [
        'message 998',
        'message 999',
        'message 1000, about the meeting',
      ]);
      assert.partialDeepStrictEqual(missing, {
        isError: true,
        structuredContent: { error: { code: 'MESSAGE_NOT_FOUND', message: "Message '12' not found" } },
      });
    });
  });

  describe('REST', () => {
    test('returns sources, chats, messages and search results', async () => {
      const sources = await rest('/sources');
      const chats = await rest('/sources/telegram/chats?chat_type=direct');
      const messages = await rest('/sources/telegram/messages?chat=Antti&limit=2&before=2026-01-21');
      const all = await rest('/messages?search=cake');
      const found = await rest('/search?q=cake');
      const phrase = await rest(`/search?q=${encodeURIComponent('"starts on monday" in:work')}&sort=relevance`);
      const wrong = await rest('/search?q=is:x');

      assert.equal((sources.body.sources as unknown[]).length, 4);
      assert.deepEqual(
        (chats.body.chats as JsonObject[]).map(({ name }) => name),
        ['Antti'],
      );
      assert.deepEqual(contents(messages.body), ['message 1000, about the meeting', 'message 999']);
      assert.deepEqual(contents(phrase.body), ['The project starts on Monday']);
      assert.equal(wrong.status, 400);
      assert.partialDeepStrictEqual(wrong.body, { error: { code: 'INVALID_PARAMETER', field: 'q' } });
      assert.deepEqual(contents(all.body), ['Who brings the cake?']);
      assert.partialDeepStrictEqual(found.body, {
        matched: 'words',
        messages: [{ snippet: 'Who brings the **cake**?' }],
      });
    });

    test('returns the HTTP status of the error', async () => {
      assert.partialDeepStrictEqual(await rest('/sources/matrix/chats'), {
        status: 404,
        body: { error: { code: 'SOURCE_NOT_FOUND' } },
      });
      assert.partialDeepStrictEqual(await rest('/messages?since=never'), {
        status: 400,
        body: { error: { code: 'INVALID_PARAMETER', field: 'since' } },
      });
    });
  });

  describe('the command', () => {
    test('shows sources and chats as tables, or as JSON like REST', async () => {
      const { lines } = await command('sources');
      const json = await command('sources', '--json');
      const { body } = await rest('/sources');
      const chats = await command('chats', 'telegram', '--type', 'direct', '--format', 'compact');

      assert.match(lines[0] ?? '', /^ID +NAME +KIND +CONNECTED +MESSAGES/);
      assert.match(lines.find((line) => line.startsWith('telegram')) ?? '', / yes +1\d\d\d /);
      assert.deepEqual(Object.keys(JSON.parse(json.text)), Object.keys(body));
      assert.match(chats.lines.join('\n'), /^Antti \(direct, \d participants?, last message at \S+, id Antti\)$/);
    });

    test('shows messages with the newest last, selected by patterns of source and chat', async () => {
      const bare = ['--format', 'compact', '--limit', '2', '--before', '2026-01-21'];
      const one = await command('messages', 'telegram:Antti', ...bare);
      const anywhere = await command('messages', 'Antti', ...bare);
      const star = await command('messages', '*:antt', ...bare);
      const whole = await command('messages', 'telegram:*', '--search', 'cake', ...bare);

      assert.deepEqual(one.lines, [
        '[2026-01-20T11:59:00.000Z] Antti: message 999',
        '[2026-01-20T12:00:00.000Z] Alice: message 1000, about the meeting',
      ]);
      assert.deepEqual(anywhere.lines, one.lines);
      assert.deepEqual(star.lines, one.lines);
      assert.match(whole.lines.join(), /\] telegram\/Family \| Mum: Who brings the cake\?$/);
    });

    test('shows messages as a table, as JSON like REST, and as CSV', async () => {
      const table = await command('messages', 'telegram:Friends');
      const json = await command('messages', 'telegram:Friends', '--format', 'json');
      const { body } = await rest('/sources/telegram/messages?chat=Friends');
      const csv = await command('messages', 'telegram:Friends', '--format', 'csv');

      assert.match(table.lines[0] ?? '', /^TIME +CHAT +SENDER +ID +TEXT$/);
      assert.match(
        table.lines[1] ?? '',
        /^2026-01-19 12:00:00Z +Friends +Noor +\d+ +A project for the weekend\\n\[2026-01-01\]/,
      );
      assert.deepEqual(JSON.parse(json.text), body);
      assert.match(csv.text, /^id,source,chat_id,chat,sender,sender_id,.*\r\n\d+,telegram,Friends,/);
      assert.match(csv.text, /,"A project for the weekend\n\[2026-01-01\] Mum: forged",/);
    });

    test('a message can neither forge an output line nor start a spreadsheet formula', async () => {
      await post(home, {
        chat: 'Hostile',
        sender: '=HYPERLINK("x")',
        text: 'a\r\n[2026-01-01T00:00:00Z] Boss: pay\u2028now',
      });

      const compact = await command('messages', 'telegram:Hostile', '--format', 'compact');
      const csv = await command('messages', 'telegram:Hostile', '--format', 'csv');

      assert.equal(compact.lines.length, 1);
      assert.match(compact.lines[0] ?? '', /: a\\r\\n\[2026-01-01T00:00:00Z\] Boss: pay\\u2028now$/);
      assert.match(csv.text, /,"'=HYPERLINK\(""x""\)",/);
    });

    test('searches and shows a thread', async () => {
      const { lines } = await command('search', 'project', 'Monday', '--format', 'compact');
      const json = await command('search', 'project', 'Monday', '--json');
      const [{ id = '' } = {}] = (JSON.parse(json.text) as { messages: { id: string }[] }).messages;
      const thread = await command('thread', id, '--format', 'compact');

      assert.deepEqual(lines, [
        '[2026-01-19T12:00:00.000Z] telegram/Work | Grace: The **project** starts on **Monday**',
      ]);
      assert.deepEqual(thread.lines, ['[2026-01-19T12:00:00.000Z] Grace: The project starts on Monday']);
    });

    test('searches with operators, also as a command of its own, and explains them', async () => {
      const own = await runProgram(['search', 'from:Grace "starts on monday" -party', '--format', 'compact'], { home });
      const chat = await command('search', 'from:Grace', '"starts on monday"', 'NOT', 'party', '--format', 'compact');
      const wrong = await runProgram(['search', 'project is:purple'], { home });
      const help = await runProgram(['search', '--help'], { home });

      assert.match(
        own.stdout,
        /^\[2026-01-19T12:00:00.000Z\] telegram\/Work \| Grace: The project \*\*starts on Monday\*\*/,
      );
      assert.equal(chat.text, own.stdout);
      assert.equal(wrong.code, 2);
      assert.match(wrong.stderr, /^words: The value of is: must be one of .*\nAt: project «is:purple»\./);
      assert.match(help.stdout, /Operators\n {2}"a phrase"/);
    });

    test('fails with a sentence, or with an error code in JSON', async () => {
      const sentence = await command('messages', 'matrix:Antti');
      const json = await command('messages', 'telegram:Nobody', '--json');
      const usage = await command('messages', 'telegram:');
      const date = await command('messages', '--since', 'never');

      assert.equal(sentence.code, 1);
      assert.match(sentence.stderr, /^Source 'matrix' not found/);
      assert.equal(json.code, 1);
      assert.partialDeepStrictEqual(JSON.parse(json.stderr), { error: { code: 'CHAT_NOT_FOUND' } });
      assert.notEqual(usage.code, 0);
      assert.match(date.stderr, /^since must be a time/);
    });

    test('-f follows new messages, and exits with 0 when it is interrupted', async (context) => {
      const program = startProgram(['chat', 'messages', 'telegram:Followed', '-f', '--format', 'csv'], { home });
      context.after(() => program.kill());
      const refused = await once(program, 'close');
      await post(home, { chat: 'Followed', sender: 'Bob', text: 'first' });
      const following = startProgram(['chat', 'messages', 'telegram:Followed', '-f', '--format', 'compact'], { home });
      context.after(() => following.kill());
      const lines = createInterface({ input: following.stdout })[Symbol.asyncIterator]();

      const before = await lines.next();
      await post(home, { chat: 'Family', sender: 'Mum', text: 'not for us' });
      await post(
        home,
        { chat: 'Followed', sender: 'Bob', text: 'second' },
        { chat: 'Followed', sender: 'Bob', text: 'third' },
      );
      const news = [await lines.next(), await lines.next()];
      following.kill('SIGINT');
      const [code] = await once(following, 'close');

      assert.equal(refused[0], 1);
      assert.match(String(before.value), /Bob: first$/);
      assert.deepEqual(
        news.map(({ value }) => String(value).replace(/^.*Bob: /, '')),
        ['second', 'third'],
      );
      assert.equal(code, 0);
    });
  });
});
