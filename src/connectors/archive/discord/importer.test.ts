import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { discord } from './importer.ts';

const AUTHOR = { id: '80351110224678912', name: 'ada', discriminator: '0000', nickname: 'Ada', isBot: false };
/** The example of Discord's own documentation. */
const FIRST = '175928847299117063';
const FIRST_AT = 1_462_015_105_796;

function fileOf(messages: readonly unknown[], channel: Record<string, unknown> = {}): string {
  return JSON.stringify({
    guild: { id: '1', name: 'Guild', iconUrl: '' },
    channel: {
      id: '77',
      type: 'GuildTextChat',
      categoryId: '5',
      category: 'Text',
      name: 'general',
      topic: null,
      ...channel,
    },
    dateRange: { after: null, before: null },
    exportedAt: '2024-07-01T00:00:00+00:00',
    messages,
    messageCount: messages.length,
  });
}

function message(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: FIRST,
    type: 'Default',
    timestamp: '2016-04-30T13:18:25.796+02:00',
    timestampEdited: null,
    isPinned: false,
    content: 'hi',
    author: AUTHOR,
    attachments: [],
    embeds: [],
    stickers: [],
    reactions: [],
    mentions: [],
    ...fields,
  };
}

describe('an export of DiscordChatExporter', () => {
  test('contains messages with chat, sender, time and id', async () => {
    const { messages, skipped, items } = await readOpened(discord, archiveOf({ 'general.json': fileOf([message()]) }));

    assert.deepEqual(messages, [
      {
        chat: { id: '77', name: 'Guild / general', type: 'channel' },
        id: FIRST,
        sender: { id: AUTHOR.id, name: 'Ada' },
        text: 'hi',
        contentType: 'text',
        at: FIRST_AT,
      },
    ]);
    assert.deepEqual(skipped, []);
    const last = items.findLast((item) => item.kind === 'progress');
    assert.ok(last && last.done === last.total);
  });

  const kinds: Record<string, [string, string]> = {
    GuildTextChat: ['channel', 'Guild / c'],
    GuildNews: ['channel', 'Guild / c'],
    GuildPublicThread: ['thread', 'Guild / Text / c'],
    GuildPrivateThread: ['thread', 'Guild / Text / c'],
    DirectTextChat: ['direct', 'c'],
    DirectGroupTextChat: ['group', 'c'],
  };
  for (const [type, expected] of Object.entries(kinds)) {
    test(`maps ${type} to a ${expected[0]} named ${expected[1]}`, async () => {
      const file = fileOf([message()], { type, name: 'c' });

      const { messages } = await readOpened(discord, archiveOf({ 'c.json': file }));

      assert.deepEqual([messages[0]?.chat.type, messages[0]?.chat.name], expected);
    });
  }

  test('has replies, except across channels and for forwarded messages', async () => {
    const file = fileOf([
      message({ type: 'Reply', reference: { messageId: '5', channelId: '77', guildId: '1' } }),
      message({ type: 'Default', reference: { messageId: '6', channelId: '78', guildId: '1' } }),
      message({
        content: '',
        reference: { type: 'Forward', messageId: '7', channelId: '77' },
        forwardedMessage: {
          content: 'from elsewhere',
          attachments: [{ fileName: 'a.png', url: 'https://x.test/a.png' }],
        },
      }),
    ]);

    const { messages } = await readOpened(discord, archiveOf({ 'c.json': file }));

    assert.deepEqual(
      messages.map(({ replyTo, text, attachments }) => [replyTo, text, attachments?.length]),
      [
        ['5', 'hi', undefined],
        [undefined, 'hi', undefined],
        [undefined, 'Forwarded message:\nfrom elsewhere', 1],
      ],
    );
  });

  for (const [name, content, format] of [
    ['c.html', '<!DOCTYPE html><html lang="en"><head><title>Guild - general</title>', 'HTML'],
    ['c.htm', '<html>', 'HTML'],
    ['c.csv', 'AuthorID,Author,Date,Content,Attachments,Reactions\n', 'CSV'],
    ['c.txt', '==============\nGuild: Guild\nChannel: Text / general\n', 'plain text'],
  ] as const) {
    test(`in another format, ${name}, is refused with the advice to export JSON`, async () => {
      await assert.rejects(readOpened(discord, archiveOf({ [name]: content })), (error) => {
        assert(error instanceof AppError);
        assert.equal(error.message, `/exports/archive is an export as ${format}, which does not hold everything.`);
        assert.match(error.hint ?? '', /DiscordChatExporter.*--format Json/);
        return true;
      });
    });
  }

  test('has the text of embeds if there is no other, and files, stickers, edits and reactions', async () => {
    const file = fileOf([
      message({
        content: '',
        timestampEdited: '2024-06-13T10:50:00+00:00',
        embeds: [
          {
            title: 'Release',
            url: 'https://x.test',
            description: 'is out',
            author: { name: 'Bot' },
            fields: [{ name: 'Version', value: '2' }],
            footer: { text: 'today' },
          },
        ],
        attachments: [
          { id: '1', url: 'https://cdn.test/a.jpg?ex=1', fileName: 'a.jpg', fileSizeBytes: 5 },
          { id: '2', url: 'general.json_Files/b.bin', fileName: 'b.bin', fileSizeBytes: 6 },
        ],
        stickers: [{ id: '3', name: 'wave', format: 'Png', sourceUrl: 'https://cdn.test/w.png' }],
        reactions: [
          {
            emoji: { id: '', name: '👍', code: 'thumbsup' },
            count: 2,
            users: [{ id: '9', name: 'bob', nickname: 'Bob' }],
          },
          { emoji: { id: '12', name: 'pepe' }, count: 1, users: [{ id: '9', name: 'bob', nickname: 'Bob' }] },
          { emoji: { id: null, name: '🎉' }, count: 4 },
        ],
      }),
    ]);

    const { messages, events } = await readOpened(discord, archiveOf({ 'c.json': file }));

    assert.equal(messages[0]?.text, 'Bot\nRelease\nis out\nVersion: 2\ntoday');
    assert.equal(messages[0]?.editedAt, Date.UTC(2024, 5, 13, 10, 50));
    assert.equal(messages[0]?.contentType, 'image');
    assert.deepEqual(messages[0]?.attachments, [
      { type: 'image', name: 'a.jpg', size: 5, url: 'https://cdn.test/a.jpg?ex=1' },
      { type: 'file', name: 'b.bin', size: 6 },
      { type: 'sticker', name: 'wave', url: 'https://cdn.test/w.png' },
    ]);
    assert.deepEqual(events.slice(1), [
      {
        kind: 'reactions',
        chat: '77',
        message: FIRST,
        sender: { id: '9', name: 'Bob' },
        signs: ['👍', ':pepe:'],
        at: FIRST_AT,
      },
    ]);
  });

  test('distinguishes system messages from messages of users', async () => {
    const types = [
      'Default',
      'Reply',
      'GuildMemberJoin',
      'ChannelPinnedMessage',
      'Call',
      'ThreadCreated',
      '8',
      '20',
      21,
      7,
    ];
    const file = fileOf(types.map((type) => message({ type })));

    const { messages } = await readOpened(discord, archiveOf({ 'c.json': file }));

    assert.deepEqual(
      messages.map(({ contentType }) => contentType),
      ['text', 'text', 'system', 'system', 'system', 'system', 'system', 'text', 'text', 'system'],
    );
  });

  test('takes the time from the id, else from the timestamp with its offset', async () => {
    const file = fileOf([
      message({ timestamp: 'nonsense' }),
      message({ id: '12', timestamp: '2024-06-13T12:00:00+02:00' }),
      message({ id: '13', timestamp: '2024-06-13T12:00:00' }),
      message({ id: '99999999999999999999', timestamp: null }),
      message({ id: undefined }),
    ]);

    const { messages, skipped } = await readOpened(discord, archiveOf({ 'c.json': file }));

    assert.deepEqual(
      messages.map(({ at }) => at),
      [FIRST_AT, Date.UTC(2024, 5, 13, 10)],
    );
    assert.deepEqual(
      skipped.map(({ why, where }) => `${why} ${where}`),
      ['no_time c.json:message 3', 'no_time c.json:message 4', 'no_id c.json:message 5'],
    );
  });

  test('recognises the user by id, name or nickname', async () => {
    const archive = archiveOf({ 'c.json': fileOf([message(), message({ author: { id: '2', name: 'bob' } })]) });

    const own = await Promise.all([AUTHOR.id, 'ADA', 'Ada'].map((me) => readOpened(discord, archive, { me })));

    for (const { messages } of own) {
      assert.deepEqual(
        messages.map(({ isOwn }) => isOwn),
        [true, undefined],
      );
    }
  });

  test('can be a folder of channels; the parts of a channel are read in order', async () => {
    const parts = ['x [part 10].json', 'x.json', 'x [part 2].json'];
    const archive = archiveOf({
      ...Object.fromEntries(parts.map((name) => [`a/${name}`, fileOf([message({ content: name })])])),
      'a/other.json': '{"about":"nothing"}',
      'a/notes.txt': 'hello',
    });

    const { messages, skipped } = await readOpened(discord, archive);

    assert.deepEqual(
      messages.map(({ text }) => text),
      ['x.json', 'x [part 2].json', 'x [part 10].json'],
    );
    assert.deepEqual(skipped, [{ why: 'not_a_chat', where: 'a/other.json' }]);
  });

  test('reads a folder that only ends like one of attachments', async () => {
    const archive = archiveOf({ 'Discord_Files/Guild - chat [1].json': fileOf([message({ content: 'real' })]) });

    const { messages } = await readOpened(discord, archive);

    assert.deepEqual(
      messages.map(({ text }) => text),
      ['real'],
    );
  });

  test('does not have an export among the files that were attached to messages', async () => {
    const name = 'Guild - chat [1].json';
    const sent = `${name}_Files/export-ABCDE.json`;
    const archive = archiveOf({ [name]: fileOf([message({ content: 'real' })]), [sent]: fileOf([message()]) });

    const { messages, skipped } = await readOpened(discord, archive);

    assert.deepEqual(
      messages.map(({ text }) => text),
      ['real'],
    );
    assert.deepEqual(skipped, [{ why: 'sent', where: sent }]);
  });

  test('imports all complete messages of a truncated file, and reports it', async () => {
    const whole = fileOf([message({ content: 'one' }), message({ content: 'two' }), message({ content: 'three' })]);
    const archive = archiveOf({ 'c.json': whole.slice(0, whole.indexOf('three') + 3) });

    const { messages, skipped } = await readOpened(discord, archive);

    assert.deepEqual(
      messages.map(({ text }) => text),
      ['one', 'two'],
    );
    assert.deepEqual(skipped, [{ why: 'cut_off', where: 'c.json' }]);
  });

  test('an error names a file in another format', async () => {
    const archive = archiveOf({ 'x.json': '{"name":"x","messages":[]}' }, { path: '/exports/x.json' });

    await assert.rejects(
      readOpened(discord, archive),
      (error) => error instanceof AppError && /x\.json/.test(error.message),
    );
  });

  test('loses no valid message among invalid ones, and always gives the same result', async () => {
    const fields = fc.dictionary(
      fc.constantFrom(
        'type',
        'timestampEdited',
        'content',
        'author',
        'attachments',
        'embeds',
        'stickers',
        'reactions',
        'reference',
        'forwardedMessage',
      ),
      fc.jsonValue(),
    );
    const entry = fc.oneof(
      fc.json().map((json) => ({ json, id: undefined })),
      fc.tuple(fc.bigInt({ min: 1n << 32n, max: (1n << 64n) - 1n }), fields).map(([id, extra]) => ({
        json: JSON.stringify(message({ ...extra, id: String(id) })),
        id: String(id),
      })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), async (entries, chunk) => {
        const file = fileOf([]).replace(
          '"messages":[]',
          () => `"messages":[${entries.map(({ json }) => json).join(',')}]`,
        );
        const archive = archiveOf({ 'c.json': file }, { chunk });

        const [first, again] = [await readOpened(discord, archive), await readOpened(discord, archive)];

        assert.deepEqual(again.items, first.items);
        const found = new Set(first.messages.map(({ id }) => id));
        for (const { id } of entries) if (id !== undefined) assert.ok(found.has(id));
      }),
      { numRuns: 100 },
    );
  });
});
