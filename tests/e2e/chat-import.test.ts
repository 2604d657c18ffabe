import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fileIn } from '../support/archives/read-archive.ts';
import { telegramChat, telegramFile, telegramMessage } from '../support/archives/telegram-export.ts';
import { zipOf } from '../support/archives/zip.ts';
import { daemonStatus, removeHome, until } from '../support/mcp/shim-program.ts';
import { type ProgramOptions, runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const FAMILY = fileIn(folder, 'family/result.json', telegramFile(telegramChat(messagesUpTo(3))));
const WHATSAPP = '13/06/2024, 15:04 - Alice: hello\n14/06/2024, 09:30 - Bob: the harbour\nat noon\n';
let homes = 0;

describe('switchboard chat import', () => {
  test('an imported archive is a source that can be read and searched', async (context) => {
    const cli = commands(context);

    const imported = await cli('chat', 'import', 'telegram', FAMILY, '--json');
    const sources = await cli('chat', 'sources', '--json');
    const messages = await cli('chat', 'messages', 'telegram:Family', '--json');
    const found = await cli('chat', 'messages', 'telegram:Family', '--search', 'message 2', '--json');

    assert.deepEqual(imported, {
      source: 'telegram',
      format: 'telegram',
      added: 3,
      changed: 0,
      known: 0,
      chats: 1,
      skipped: [],
      unread: { count: 0, places: [] },
      assumed: {},
    });
    const [source] = sources.sources.filter(({ id }: { id: string }) => id === 'telegram');
    assert.deepEqual([source.name, source.kind, source.is_connected], ['Telegram archive', 'archive', true]);
    assert.deepEqual(messages.messages.map(({ content }: { content: string }) => content).sort(), [
      'message 1',
      'message 2',
      'message 3',
    ]);
    assert.deepEqual(
      found.messages.map(({ content }: { content: string }) => content),
      ['message 2'],
    );
  });

  test('a second import of the same archive adds nothing, and reports it', async (context) => {
    const cli = commands(context);
    await cli('chat', 'import', 'telegram', FAMILY, '--json');

    const again = await cli.raw(['chat', 'import', 'telegram', FAMILY]);

    assert.deepEqual(again, { code: 0, stdout: 'telegram: 0 added, 3 known already, in 1 chat.\n', stderr: '' });
  });

  test('a zip bomb of many small files is refused, unless the user sets what it may unpack to', async (context) => {
    const cli = commands(context);
    const zeros = Buffer.alloc(8 * 1024 * 1024);
    const media = Array.from({ length: 9 }, (_, index) => ({ name: `photo-${index}.bin`, content: zeros }));
    const bomb = fileIn(folder, 'bomb.zip', zipOf([{ name: '_chat.txt', content: WHATSAPP }, ...media]));
    const args = ['chat', 'import', 'whatsapp', bomb, '--chat', 'Alice'];

    const refused = await cli.raw(args);
    const tooLittle = await cli.raw([...args, '--max-unpacked', '70']);
    const lifted = await cli.raw([...args, '--max-unpacked', '80']);

    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /would unpack to far more than an export holds\.[\s\S]*--max-unpacked/);
    assert.equal(tooLittle.code, 1);
    assert.equal(lifted.code, 0, lifted.stderr);
    assert.match(lifted.stdout, /2 added/);
  });

  test('what could not be read is said at the end with its places, and the exit code is 1', async (context) => {
    const cli = commands(context);
    const letter = (id: number, body: string) =>
      `From a at x.test  Mon Jun  4 10:00:0${id} 2007\nFrom: a at x.test (A)\nMessage-ID: <${id}@x>\n` +
      `Content-Type: text/plain; charset=utf-8\n\n${body}\n \n`;
    const list = Buffer.from(`${letter(1, 'one')}${letter(2, '\xc3\xa9 \xff')}`, 'latin1');
    fileIn(folder, 'list/2007-June.txt.gz', gzipSync(list));
    symlinkSync(FAMILY, join(folder, 'list/2007-July.txt'));
    const args = ['chat', 'import', 'mbox', join(folder, 'list')];

    const text = await cli.raw(args);
    const again = await cli.raw([...args, '--json']);

    assert.deepEqual([text.code, again.code], [1, 1]);
    assert.match(text.stdout, /^mbox: 2 added, in 2 chats\.\n/);
    assert.match(text.stdout, /\nCould not be read: 2, the first at 2007-June\.txt:8; 2007-July\.txt\n$/);
    assert.deepEqual(JSON.parse(again.stdout).unread, { count: 2, places: ['2007-June.txt:8', '2007-July.txt'] });
  });

  test('a path is relative to the working directory; a WhatsApp zip is read in the given time zone', async (context) => {
    const cli = commands(context);
    fileIn(folder, 'here/WhatsApp Chat - Alice.zip', zipOf([{ name: '_chat.txt', content: WHATSAPP }]));

    const { stdout, code } = await cli.raw(
      ['chat', 'import', 'whatsapp', 'WhatsApp Chat - Alice.zip', '--source', 'alice', '--time-zone', 'Asia/Tokyo'],
      { cwd: join(folder, 'here') },
    );
    const { messages } = await cli('chat', 'messages', 'alice:Alice', '--search', 'noon', '--json');

    assert.equal(code, 0);
    assert.match(
      stdout,
      /^alice: 2 added, in 1 chat\.\nTimes .* Asia\/Tokyo \(--time-zone\)\.\nDates were read as dmy/,
    );
    assert.deepEqual(
      [messages[0].sender, messages[0].timestamp, messages[0].content],
      ['Bob', '2024-06-14T00:30:00.000Z', 'the harbour\nat noon'],
    );
  });

  test('an error names the file and what to do', async (context) => {
    const cli = commands(context);
    const [missing, empty] = [join(folder, 'nothing.json'), fileIn(folder, 'empty.json', '')];
    const ambiguous = fileIn(folder, 'x.txt', '3/4/24, 15:04 - Alice: x\n3/5/24, 15:04 - Alice: y\n');
    const failure = async (...args: string[]) => {
      const { code, stderr } = await cli.raw(['chat', 'import', ...args]);
      assert.notEqual(code, 0);
      return stderr;
    };

    assert.equal(await failure('telegram', missing), `There is no file or folder at ${missing}.\n`);
    assert.equal(await failure('telegram', empty), `The file ${empty} is empty.\n`);
    assert.match(await failure('whatsapp', FAMILY), /is not a WhatsApp export\.\nIt looks like a Telegram export/);
    assert.match(await failure('whatsapp', ambiguous), /can be read in more than one way\.\n.*--date-order dmy/);
    assert.deepEqual(
      (await cli('chat', 'sources', '--json')).sources.filter(({ kind }: { kind: string }) => kind === 'archive'),
      [],
    );
    await cli('chat', 'import', 'telegram', FAMILY, '--source', 'mine', '--json');
    assert.match(await failure('whatsapp', ambiguous, '--source', 'mine'), /another format\.\n.*--source mine-archive/);
  });

  test('import is not a tool: a model cannot read files of the machine with it', async (context) => {
    const cli = commands(context);

    const { stdout } = await cli.raw(['mcp', '--only', 'chat'], {
      stdin: [
        {
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
        },
        { id: 2, method: 'tools/list', params: {} },
      ]
        .map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
        .join(''),
    });

    assert.match(stdout, /"list_chats"/);
    assert.doesNotMatch(stdout, /"name":"[^"]*import/);
  });

  test('other requests are served during an import; after a kill, a second import adds the missing messages', async (context) => {
    const cli = commands(context);
    const total = 20_000;
    const path = fileIn(folder, 'long/result.json', telegramFile(telegramChat(messagesUpTo(total))));
    const importing = startProgram(['chat', 'import', 'telegram', path, '--json'], { home: cli.home });
    importing.stdin.end();
    await until('the first messages are imported', async () => (await cli.count()) > 0);
    const { pid } = await daemonStatus(cli.home);
    assert(pid);

    process.kill(pid, 'SIGKILL');
    if (importing.exitCode === null) await once(importing, 'exit');
    const { added, known } = await cli('chat', 'import', 'telegram', path, '--json');

    assert.equal(added + known, total);
    assert.equal(await cli.count(), total);
  });

  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    test(`${signal} of the command ends its import at once: nothing more is stored, and the source can be removed`, async (context) => {
      const cli = commands(context);
      const total = 150_000;
      // Short lines: its progress is reported once per megabyte.
      const lines = Array.from({ length: total }, (_, index) => `2024-01-01 10:00:00\tann\t${index}\n`);
      const path = fileIn(folder, `${signal}/irc.libera.#dev.weechatlog`, lines.join(''));
      const args = ['chat', 'import', 'irc', path, '--time-zone', 'UTC'];
      const importing = startProgram(args, { home: cli.home });
      importing.stdin.end();
      await until('the first messages are imported', async () => (await cli.count('irc')) > 0);

      importing.kill(signal);
      if (importing.exitCode === null) await once(importing, 'exit');
      const kept = await cli.count('irc');
      const { removed_messages: removed } = await cli('chat', 'remove', 'irc', '--json');
      const left = await cli('chat', 'sources', '--json');

      assert.ok(kept > 0 && kept < total, `${kept} messages`);
      assert.equal(removed, kept);
      assert.deepEqual(
        left.sources.filter(({ kind }: { kind: string }) => kind === 'archive'),
        [],
      );
    });
  }
});

function messagesUpTo(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => telegramMessage(index + 1));
}

function commands(context: TestContext) {
  homes += 1;
  const home = join(folder, `home-${homes}`);
  context.after(async () => {
    await runProgram(['daemon', 'stop'], { home });
    removeHome(home);
  });
  const raw = (args: readonly string[], options: ProgramOptions = {}) => runProgram(args, { home, ...options });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await raw(args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const count = async (source = 'telegram'): Promise<number> => {
    const { sources } = await json('chat', 'sources', '--json');
    return sources.find(({ id }: { id: string }) => id === source)?.messages ?? 0;
  };
  return Object.assign(json, { raw, home, count });
}
