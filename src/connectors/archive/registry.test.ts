import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { archiveOf } from '../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../tests/support/archives/read-archive.ts';
import { ARCHIVE_FORMATS, type ArchiveFormat } from '../../domain/archive.ts';
import { CHAT_TYPES, CONTENT_TYPES } from '../../domain/chat.ts';
import { AppError } from '../../domain/errors.ts';
import { importerOf } from './registry.ts';

const id = z.string().min(1);
const sender = z.strictObject({ id, name: z.string().min(1) });
const at = z.int().min(0).max(8_640_000_000_000_000);
const chat = z.strictObject({
  id,
  name: z.string().optional(),
  type: z.enum(CHAT_TYPES).optional(),
  participantCount: z.int().min(0).optional(),
});
const attachment = z.strictObject({
  type: z.enum(CONTENT_TYPES),
  name: z.string().optional(),
  mime: z.string().optional(),
  size: z.int().min(0).optional(),
  url: z.string().optional(),
});
const message = z.strictObject({
  chat,
  id,
  sender,
  isOwn: z.boolean().optional(),
  text: z.string(),
  contentType: z.enum(CONTENT_TYPES).optional(),
  at,
  replyTo: id.optional(),
  editedAt: at.optional(),
  attachments: z.array(attachment).optional(),
});
/** The events that an importer may return. */
const inbound = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('message'), message }),
  z.strictObject({ kind: z.literal('edit'), chat: id, message: id, text: z.string(), at, sender: id.optional() }),
  z.strictObject({ kind: z.literal('delete'), chat: id, message: id, at, sender: id.optional() }),
  z.strictObject({ kind: z.literal('reactions'), chat: id, message: id, sender, signs: z.array(id), at }),
  z.strictObject({ kind: z.literal('chat'), chat }),
]);

/** Values that are easily misinterpreted without validation. */
const evil = fc.oneof(
  fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty', '', '\u0000', '\ud800', '1e999', '-1'),
  fc.constantFrom(-1, 0, 1e308, 9e15, Number.MAX_SAFE_INTEGER, 0.5),
  fc.constantFrom({ toString: 1, valueOf: 1 }, { length: 1e9 }, [], [null], [[]], null, true),
  fc.jsonValue({ maxDepth: 3 }),
);

function records(keys: readonly string[], required: Record<string, unknown>) {
  return fc
    .dictionary(
      fc.constantFrom(...keys),
      fc.oneof(evil, fc.array(fc.dictionary(fc.constantFrom(...keys), evil), { maxLength: 3 })),
    )
    .map((fields) => ({ ...required, ...fields }));
}

const telegramMessage = records(
  [
    'id',
    'type',
    'date',
    'date_unixtime',
    'edited_unixtime',
    'from',
    'from_id',
    'actor',
    'action',
    'text',
    'text_entities',
    'media_type',
    'file',
    'photo',
    'file_size',
    'poll',
    'question',
    'answers',
    'contact_information',
    'location_information',
    'reactions',
    'recent',
    'emoji',
    'members',
    'reply_to_message_id',
  ],
  { id: 1, type: 'message', date_unixtime: '1718275523', from: 'Ada', from_id: 'user1', text: 'hi' },
);
const slackMessage = records(
  [
    'ts',
    'subtype',
    'user',
    'text',
    'thread_ts',
    'edited',
    'files',
    'file',
    'name',
    'mimetype',
    'size',
    'permalink',
    'url_private',
    'reactions',
    'users',
    'blocks',
    'attachments',
    'message',
    'deleted_ts',
    'bot_id',
    'username',
    'user_profile',
    'elements',
    'type',
    'fields',
  ],
  { ts: '1718275523.000005', user: 'U1', text: 'hi' },
);
const discordMessage = records(
  [
    'id',
    'type',
    'timestamp',
    'timestampEdited',
    'content',
    'author',
    'name',
    'nickname',
    'attachments',
    'url',
    'fileName',
    'fileSizeBytes',
    'embeds',
    'title',
    'stickers',
    'reactions',
    'emoji',
    'users',
    'reference',
    'messageId',
    'forwardedMessage',
  ],
  {
    id: '175928847299117063',
    type: 'Default',
    timestamp: '2016-04-30T11:18:25Z',
    content: 'hi',
    author: { id: '1', name: 'a' },
  },
);
const head = fc.dictionary(
  fc.constantFrom('id', 'name', 'type', 'members', 'profile', 'real_name', 'user_id', 'category'),
  evil,
);
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        'From a Thu Jun 13 12:34:56 2024',
        'Subject: x',
        'Content-Type: multipart/mixed; boundary=b',
        '--b',
        '',
        '[13.6.2024, 12:34:56] Ada: hi',
        '6/13/24, 3:04 PM - Ada: hi',
        '[12:34] <ada> hi',
        '--- Day changed Thu Jun 13 2024',
        'Date: Thu, 13 Jun 2024 12:34:56 +0000',
      ),
    ),
    { maxLength: 20 },
  )
  .map((lines) => lines.join('\n'));

const EXPORTS: Record<ArchiveFormat, fc.Arbitrary<Record<string, string>>> = {
  telegram: fc.tuple(fc.array(telegramMessage, { maxLength: 4 }), head).map(([messages, fields]) => ({
    'result.json': JSON.stringify({
      personal_information: fields,
      chats: { list: [{ name: 'x', type: 'personal_chat', id: 1, ...fields, messages }] },
    }),
  })),
  slack: fc
    .tuple(fc.array(slackMessage, { maxLength: 4 }), fc.array(head, { maxLength: 3 }))
    .map(([messages, list]) => ({
      'users.json': JSON.stringify(list),
      'channels.json': JSON.stringify(list),
      'dms.json': JSON.stringify(list),
      'c/2024-06-13.json': JSON.stringify(messages),
    })),
  discord: fc.tuple(fc.array(discordMessage, { maxLength: 4 }), head).map(([messages, fields]) => ({
    'c.json': JSON.stringify({
      guild: fields,
      channel: { id: '7', type: 'GuildTextChat', ...fields },
      messages,
      messageCount: 1,
    }),
  })),
  whatsapp: text.map((content) => ({ '_chat.txt': content })),
  irc: text.map((content) => ({ '#a.log': content })),
  mbox: text.map((content) => ({ 'a.mbox': content })),
};

describe('an export with any content', () => {
  for (const format of ARCHIVE_FORMATS) {
    test(`${format} returns only valid events, or an AppError`, async () => {
      const importer = await importerOf(format);
      await fc.assert(
        fc.asyncProperty(EXPORTS[format], async (files) => {
          try {
            const { events } = await readOpened(importer, archiveOf(files), { me: 'constructor' });
            for (const event of events) inbound.parse(event);
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
          }
        }),
        { numRuns: 300 },
      );
    });
  }

  test('every importer states its format', async () => {
    const formats = await Promise.all(ARCHIVE_FORMATS.map(async (format) => (await importerOf(format)).format));

    assert.deepEqual(formats, ARCHIVE_FORMATS);
  });
});
