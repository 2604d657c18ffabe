import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { exportSamples } from '../support/archives/export-samples.ts';
import { fileIn } from '../support/archives/read-archive.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const home = join(folder, 'home');
const samples = exportSamples(join(folder, 'exports'));

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runProgram([...args, '--json'], { home, cwd: join(folder, 'exports') });
  return { code, output: code === 0 ? JSON.parse(stdout) : JSON.parse(stderr) };
}

interface Line {
  chat: string;
  sender: string;
  content: string;
  content_type: string;
}

async function messagesOf(chat: string): Promise<Line[]> {
  const { output } = await run('chat', 'messages', chat);
  return output.messages.toReversed();
}

describe('exports of other programs are imported as sources', { timeout: 300_000 }, () => {
  before(() => mkdirSync(home, { mode: 0o700 }));
  after(() => runProgram(['daemon', 'stop'], { home }));

  test('CHAT-09 a Slack export: ids are replaced by names, with threads and deleted messages', async () => {
    const { output } = await run('chat', 'import', 'slack', basename(samples.slack));
    const messages = await messagesOf('slack:général');
    const chats = (await run('chat', 'chats', 'slack')).output.chats;

    assert.partialDeepStrictEqual(output, { source: 'slack', format: 'slack', added: 5, chats: 2, skipped: [] });
    assert.deepEqual(
      messages.map(({ sender, content }) => `${sender}: ${content}`),
      [
        'Ada: @Ada has joined the channel',
        'Ada: Lunch at the pizzeria (https://pizza.example.test), @Bob?',
        'USLACKBOT: ',
        'Bob: Yes & gladly',
      ],
    );
    assert.deepEqual(
      chats.map(({ name, type }: { name: string; type: string }) => [name, type]),
      [
        ['général', 'channel'],
        ['Ada, Bob', 'direct'],
      ],
    );
  });

  test('CHAT-09 an IRC log in an unknown format is refused, and read with --format', async () => {
    const log = fileIn(folder, 'exports/dump.tsv', '1718282096\t#dump\tada\thello\n1718282097\t#dump\tbob\thi\n');
    const pattern = '{unixtime}\\t{channel}\\t{nick}\\t{text}';

    const refused = await run('chat', 'import', 'irc', log, '--source', 'dump');
    const wrong = await run('chat', 'import', 'irc', log, '--source', 'dump', '--format', '{time} {nik}: {text}');
    const read = await run('chat', 'import', 'irc', log, '--source', 'dump', '--format', pattern);

    assert.notEqual(refused.code, 0);
    assert.match(JSON.stringify(refused.output), /irssi.*--format/);
    assert.notEqual(wrong.code, 0);
    assert.match(JSON.stringify(wrong.output), /--format, character 8: \{nik\} is no field\. Did you mean \{nick\}\?/);
    assert.partialDeepStrictEqual(read.output, { source: 'dump', added: 2, chats: 1 });
    assert.deepEqual(
      (await messagesOf('dump:#dump')).map(({ sender, content }) => `${sender}: ${content}`),
      ['ada: hello', 'bob: hi'],
    );
  });

  test('CHAT-09 a folder of DiscordChatExporter files: parts are imported in order', async () => {
    const { output } = await run('chat', 'import', 'discord', basename(samples.discord), '--source', 'guild');
    const messages = await messagesOf('guild:Guild / general');

    assert.partialDeepStrictEqual(output, { source: 'guild', added: 2, chats: 1, skipped: [] });
    assert.deepEqual(
      messages.map(({ content }) => content),
      ['part one', 'part two'],
    );
  });

  test('CHAT-12 a folder of IRC logs: lines that are not messages are skipped', async () => {
    const { output } = await run('chat', 'import', 'irc', basename(samples.irc), '--time-zone', 'Europe/Helsinki');
    const found = (await run('chat', 'messages', 'irc:#chat', '--search', 'morning')).output.messages;

    assert.partialDeepStrictEqual(output, { added: 4, chats: 1, assumed: { time_zone: 'Europe/Helsinki' } });
    assert.deepEqual(
      output.skipped.map(({ count, examples }: { count: number; examples: string[] }) => [count, examples]),
      [[1, ['libera/#chat/2024-06-13.log:1']]],
    );
    assert.deepEqual(
      found.map(({ timestamp }: { timestamp: string }) => timestamp.slice(0, 19)),
      ['2024-06-14T05:00:00', '2024-06-14T05:00:00'],
    );
  });

  test('CHAT-14 an mbox: emails are grouped into conversations', async () => {
    const { output } = await run(
      'chat',
      'import',
      'mbox',
      basename(samples.mbox),
      '--source',
      'mail',
      '--name',
      'Old mail',
    );
    const messages = await messagesOf('mail:Plan');
    const sources = (await run('chat', 'sources')).output.sources;

    assert.partialDeepStrictEqual(output, { source: 'mail', added: 3, chats: 2, skipped: [] });
    assert.deepEqual(
      messages.map(({ sender, content }) => `${sender}: ${content}`),
      ['Ada: Plan\n\nWe meet at noon.\nFrom there we walk.', 'Bob: Fine, noon.'],
    );
    assert.partialDeepStrictEqual(
      sources.find(({ id }: { id: string }) => id === 'mail'),
      { name: 'Old mail', is_connected: true },
    );
  });

  test('a second import of the same export adds nothing', async () => {
    const { output } = await run('chat', 'import', 'slack', samples.slack);

    assert.partialDeepStrictEqual(output, { added: 0, changed: 0, chats: 2 });
  });

  test('the error names the format of another program’s export, and the file', async () => {
    const notes = fileIn(dirname(samples.mbox), 'notes.txt', 'buy milk\n');

    const [other, none, missing] = await Promise.all([
      run('chat', 'import', 'discord', samples.mbox),
      run('chat', 'import', 'irc', notes, '--source', 'notes'),
      run('chat', 'import', 'slack', join(folder, 'nowhere'), '--source', 'nowhere'),
    ]);

    assert.deepEqual([other.code, none.code, missing.code], [2, 2, 1]);
    assert.match(other.output.error.hint, /mbox/);
    assert.match(none.output.error.message, /notes\.txt/);
    assert.equal(missing.output.error.code, 'NOT_FOUND');
  });
});
