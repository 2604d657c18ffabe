import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { irc } from './importer.ts';

function times(messages: readonly { at: number }[]): string[] {
  return messages.map(({ at }) => new Date(at).toISOString());
}

describe('IRC logs', () => {
  test('contain messages with chat, sender, time and id', async () => {
    const archive = archiveOf({ '#chat.log': '--- Log opened Thu Jun 13 12:00:00 2024\n12:34 <@Ada> hi\n' });

    const { messages, items } = await readOpened(irc, archive, { timeZone: 'Europe/Berlin', me: 'ada' });

    assert.equal(messages.length, 1);
    const { id, ...message } = messages[0] ?? { id: '' };
    assert.match(id, /^[\w-]{22}$/);
    assert.deepEqual(message, {
      chat: { id: '#chat', name: '#chat', type: 'channel' },
      sender: { id: 'ada', name: 'Ada' },
      isOwn: true,
      text: 'hi',
      contentType: 'text',
      at: Date.UTC(2024, 5, 13, 10, 34),
    });
    assert.ok(items.some((item) => item.kind === 'assumed' && item.value === 'Europe/Berlin'));
  });

  test('take the date from headings, and advance it when the time of day restarts', async () => {
    const log = [
      '--- Log opened Thu Jun 13 23:00:00 2024',
      '23:59 <a> 1',
      '--- Day changed Fri Jun 14 2024',
      '00:01 <a> 2',
      '22:00 <a> 3',
      '21:30 <a> 4',
      '10:00 <a> 5',
      '**** BEGIN LOGGING AT Tue Dec 31 23:00:00 2024',
      'Dec 31 23:59:00 <a>\t6',
      'Jan  1 00:01:00 <a>\t7',
    ].join('\n');

    const { messages } = await readOpened(irc, archiveOf({ 'a.log': log }));

    assert.deepEqual(times(messages), [
      '2024-06-13T23:59:00.000Z',
      '2024-06-14T00:01:00.000Z',
      '2024-06-14T22:00:00.000Z',
      '2024-06-14T21:30:00.000Z',
      '2024-06-15T10:00:00.000Z',
      '2024-12-31T23:59:00.000Z',
      '2025-01-01T00:01:00.000Z',
    ]);
  });

  test('take the date and the channel from the path', async () => {
    const paths = [
      'znc/libera/#chat/2024-06-13.log',
      'znc/moddata/log/libera_#chat_20240613.log',
      '2024/06/13/#chat.txt',
      'logs/#chat.log.13Jun2024',
      'irc.libera.#chat_2024-06-13.weechatlog',
      'Libera/ada_2024-06-13.log',
    ];

    const found = await Promise.all(
      paths.map(
        async (path) =>
          (await readOpened(irc, archiveOf({ [path]: '[12:34:56] <ada> hi', 'x.json': '{}' }))).messages[0],
      ),
    );

    assert.deepEqual(
      found.map((message) => [message?.chat.id, message?.chat.name, message?.at]),
      [
        ['libera/#chat', '#chat'],
        ['libera/#chat', '#chat'],
        ['#chat', '#chat'],
        ['#chat', '#chat'],
        ['libera/#chat', '#chat'],
        ['libera/ada', 'ada'],
      ].map((chat) => [...chat, Date.UTC(2024, 5, 13, 12, 34, 56)]),
    );
  });

  test('without a channel in their names belong to the channel of the folder', async () => {
    const archive = archiveOf(
      { '2024-06-13.log': '[12:34] <ada> hi', '2024-06-14.log': '[12:34] <ada> hi' },
      { path: '/logs/libera/#chat' },
    );

    const { messages } = await readOpened(irc, archive);

    assert.deepEqual(
      messages.map(({ chat }) => chat.id),
      ['#chat', '#chat'],
    );
  });

  test('with two senders are a direct chat, with more a group; the name can be set by an option', async () => {
    const line = (nick: string) => `2024-06-13 12:34:56\t${nick}\thi`;
    const [two, three, named] = await Promise.all([
      readOpened(irc, archiveOf({ 'bob.log': [line('ada'), line('bob')].join('\n') })),
      readOpened(irc, archiveOf({ 'all.log': [line('ada'), line('bob'), line('cy')].join('\n') })),
      readOpened(irc, archiveOf({ 'all.log': line('ada') }), { chat: '#Named' }),
    ]);

    assert.deepEqual(two.events.at(-1), { kind: 'chat', chat: { id: 'bob', name: 'bob', type: 'direct' } });
    assert.deepEqual(three.events.at(-1), { kind: 'chat', chat: { id: 'all', name: 'all', type: 'group' } });
    assert.deepEqual(named.messages[0]?.chat, { id: '#named', name: '#Named', type: 'channel' });
  });

  test('skip presence lines, and report each line that cannot be parsed', async () => {
    const log = [
      'an old banner',
      'Session Ident: #chat',
      '[12:00] <ada> before any day',
      'Session Start: Thu Jun 13 12:34:56 2024',
      '[12:34] * ada (a@host.test) has joined #chat',
      '[12:35] <ada> hi',
      '[12:36] <ada> hi',
      '[12:36] <ada> hi',
      '[12:37] * ada is now known as ada_',
      'what is this',
      `[12:38] <ada> ${'x'.repeat(70_000)}`,
    ].join('\r\n');

    const { messages, skipped } = await readOpened(irc, archiveOf({ 'mirc.log': log }));

    assert.deepEqual(
      messages.map(({ chat, contentType, text }) => [chat.name, contentType, text]),
      [
        ['#chat', 'text', 'hi'],
        ['#chat', 'text', 'hi'],
        ['#chat', 'text', 'hi'],
        ['#chat', 'system', 'ada is now known as ada_'],
      ],
    );
    assert.equal(new Set(messages.map(({ id }) => id)).size, 4);
    assert.deepEqual(
      skipped.map(({ why, where }) => `${why} ${where}`),
      [
        'malformed mirc.log:1',
        'no_time mirc.log:3',
        'presence mirc.log:5',
        'malformed mirc.log:10',
        'too_large mirc.log:11',
      ],
    );
  });

  test('can be encoded in Windows-1252', async () => {
    const log = Buffer.from('2024-06-13 12:34:56\tada\tcaf\xe9 \x80\n2024-06-13 12:34:57\tada\t', 'latin1');
    const archive = archiveOf({ 'a.log': Buffer.concat([log, Buffer.from('ünï')]) });

    const { messages } = await readOpened(irc, archive);

    assert.deepEqual(
      messages.map(({ text }) => text),
      ['café €', 'ünï'],
    );
  });

  test('retain the order within the repeated hour at the end of summer time', async () => {
    const log = ['2024-10-27 02:30:00\ta\t1', '2024-10-27 02:59:00\ta\t2', '2024-10-27 02:01:00\ta\t3'].join('\n');

    const { messages } = await readOpened(irc, archiveOf({ 'a.log': log }), { timeZone: 'Europe/Berlin' });

    assert.deepEqual(times(messages), [
      '2024-10-27T00:30:00.000Z',
      '2024-10-27T00:59:00.000Z',
      '2024-10-27T01:01:00.000Z',
    ]);
  });

  test('report files that are not logs, and are rejected if there is no log at all', async () => {
    const archive = archiveOf({ 'notes.txt': 'buy milk\ncall bob\n', '#a.log': '2024-06-13 12:34:56\tada\thi' });
    const nothing = archiveOf({ 'notes.txt': 'buy milk' }, { path: '/exports/notes.txt' });

    const { skipped } = await readOpened(irc, archive);

    assert.deepEqual(skipped, [{ why: 'not_a_chat', where: 'notes.txt' }]);
    await assert.rejects(
      readOpened(irc, nothing),
      (error) => error instanceof AppError && /notes\.txt/.test(error.message),
    );
  });

  test('without any date are rejected with a hint', async () => {
    const archive = archiveOf({ 'chat.log': '[12:34] <ada> hi' });

    await assert.rejects(
      readOpened(irc, archive),
      (error) => error instanceof AppError && /day/.test(error.hint ?? ''),
    );
  });

  test('lose no valid line among invalid ones, and always give the same result', async () => {
    const said = fc
      .tuple(fc.integer({ min: 0, max: 86_399 }), fc.stringMatching(/^[a-z]{1,3}$/))
      .map(([second, text]) => ({
        line: `2024-06-13 ${new Date(second * 1000).toISOString().slice(11, 19)}\tada\t${text}`,
        text,
      }));
    const other = fc
      .string({ unit: 'binary', maxLength: 30 })
      .map((text) => ({ line: `!${text.replaceAll('\n', ' ')}`, text: undefined }));
    const isMostlySaid = (lines: readonly { text: string | undefined }[]) =>
      2 * lines.filter(({ text }) => text === undefined).length <= lines.length;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 3, arbitrary: said }, other), { maxLength: 20 }).filter(isMostlySaid),
        fc.integer({ min: 1, max: 50 }),
        async (lines, chunk) => {
          const content = ['2024-06-13 00:00:00\tada\tfirst', ...lines.map(({ line }) => line)].join('\n');
          const archive = archiveOf({ 'a.log': content }, { chunk });

          const [first, again] = [await readOpened(irc, archive), await readOpened(irc, archive)];

          assert.deepEqual(again.items, first.items);
          assert.deepEqual(
            first.messages.map(({ text }) => text),
            ['first', ...lines.flatMap(({ text }) => text ?? [])],
          );
          assert.equal(new Set(first.messages.map(({ id }) => id)).size, first.messages.length);
        },
      ),
      { numRuns: 100 },
    );
  });
});
