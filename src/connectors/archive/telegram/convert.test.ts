import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InboundEvent, InboundMessage } from '../../../domain/chat.ts';
import { createLocalClock } from '../../../lib/local-time.ts';
import type { Fields } from '../json-fields.ts';
import { type TelegramContext, toChat, toEvents } from './convert.ts';

const around: TelegramContext = {
  chat: { id: 'channel9', name: 'Family', type: 'group' },
  isMe: ({ id }) => id === 'user1',
  toInstant: createLocalClock('Europe/Helsinki'),
};

const plain = {
  id: 5,
  type: 'message',
  date: '2024-06-13T15:04:05',
  date_unixtime: '1718280245',
  from: 'Alice',
  from_id: 'user7',
  text: 'hello',
};

describe('Telegram messages', () => {
  test('a plain message', () => {
    assert.deepEqual(messageOf(plain), {
      chat: around.chat,
      id: '5',
      sender: { id: 'user7', name: 'Alice' },
      text: 'hello',
      contentType: 'text',
      at: 1_718_280_245_000,
    });
  });

  test('the parts of a text are joined, and entities are preferred', () => {
    const parts = [
      'see ',
      { type: 'text_link', text: 'here', href: 'https://example.org/' },
      { type: 'bold', text: '!' },
    ];

    assert.equal(textOf({ text: parts }), 'see here (https://example.org/)!');
    assert.equal(textOf({ text: '', text_entities: [{ type: 'plain', text: 'new' }] }), 'new');
    assert.equal(
      textOf({ text: [{ type: 'link', text: 'https://a.example/', href: 'https://a.example/' }, 5, null] }),
      'https://a.example/',
    );
    assert.equal(textOf({ text: { not: 'a text' }, text_entities: 'neither' }), '');
  });

  test('a time without a zone is in the configured zone, and is marked as local', () => {
    const { date_unixtime: _, ...old } = plain;

    const converted = toEvents(old, around);

    assert(converted.kind === 'events');
    assert.equal(converted.isLocalTime, true);
    assert.equal(messageOf(old).at, Date.UTC(2024, 5, 13, 12, 4, 5));
  });

  test('the sender is identified without a name, with a numeric id, and as the channel itself', () => {
    assert.deepEqual(messageOf({ ...plain, from: null }).sender, { id: 'user7', name: 'Deleted Account' });
    assert.deepEqual(messageOf({ ...plain, from_id: 4_815_162_342 }).sender, { id: 'user4815162342', name: 'Alice' });
    assert.deepEqual(messageOf({ ...plain, from: undefined, from_id: undefined }).sender, {
      id: 'channel9',
      name: 'Family',
    });
  });

  test('messages of the user are own messages', () => {
    assert.equal(messageOf({ ...plain, from_id: 'user1' }).isOwn, true);
    assert.equal(messageOf(plain).isOwn, undefined);
  });

  test('a forwarded message names its author, even without a text or a name', () => {
    assert.equal(textOf({ text: 'news', forwarded_from: 'Eve' }), 'Forwarded from Eve:\nnews');
    assert.equal(textOf({ text: 'news', forwarded_from: null }), 'Forwarded from Deleted Account:\nnews');
    assert.equal(textOf({ text: '', photo: 'a.jpg', forwarded_from: 'Eve' }), 'Forwarded from Eve');
    assert.equal(textOf({ text: 'news', forwarded_from: 5 }), 'news');
    assert.equal(messageOf({ ...plain, forwarded_from: 'Eve' }).sender.name, 'Alice');
  });

  test('a reply has the id of the message it replies to, unless that is in another chat', () => {
    assert.equal(messageOf({ ...plain, reply_to_message_id: 4 }).replyTo, '4');
    assert.equal(messageOf({ ...plain, reply_to_message_id: 4, reply_to_peer_id: 'channel3' }).replyTo, undefined);
  });

  test('an edit time is used only if nothing else can have set it', () => {
    const edited = { ...plain, edited: '2024-06-13T16:00:00', edited_unixtime: '1718283600' };

    assert.equal(messageOf(edited).editedAt, 1_718_283_600_000);
    for (const other of ['reactions', 'inline_bot_buttons', 'poll', 'via_bot']) {
      assert.equal(messageOf({ ...edited, [other]: [] }).editedAt, undefined, other);
    }
  });

  for (const [media, contentType, attachment] of [
    [{ photo: 'photos/a.jpg', photo_file_size: 12 }, 'image', { type: 'image', name: 'a.jpg', size: 12 }],
    [{ photo: '(File not included. Change data exporting settings to download.)' }, 'image', { type: 'image' }],
    [
      { file: 'f/x.ogg', media_type: 'voice_message', mime_type: 'audio/ogg', duration_seconds: 3 },
      'audio',
      { type: 'audio', name: 'x.ogg', mime: 'audio/ogg' },
    ],
    [{ file: 'v.mp4', media_type: 'video_message' }, 'video', { type: 'video', name: 'v.mp4' }],
    [{ file: 'v.mp4', media_type: 'animation' }, 'video', { type: 'video', name: 'v.mp4' }],
    [{ file: 'v.mp4', media_type: 'video_file', file_name: 'Trip.mp4' }, 'video', { type: 'video', name: 'Trip.mp4' }],
    [{ file: 'a.mp3', media_type: 'audio_file', file_size: 9 }, 'audio', { type: 'audio', name: 'a.mp3', size: 9 }],
    [{ file: 's.webp', media_type: 'sticker' }, 'sticker', { type: 'sticker', name: 's.webp' }],
    [
      { file: 'files/r.pdf', mime_type: 'application/pdf' },
      'file',
      { type: 'file', name: 'r.pdf', mime: 'application/pdf' },
    ],
  ] as const) {
    test(`media: ${JSON.stringify(media)}`, () => {
      const message = messageOf({ ...plain, text: 'caption', ...media });

      assert.equal(message.contentType, contentType);
      assert.deepEqual(message.attachments, [attachment]);
      assert.equal(message.text, 'caption');
    });
  }

  test('contacts, locations and polls are converted to text', () => {
    const silent = { ...plain, text: '' };

    const contact = messageOf({
      ...silent,
      contact_information: { first_name: 'Bo', last_name: 'Li', phone_number: '+1' },
    });
    const place = messageOf({
      ...silent,
      place_name: 'Café',
      location_information: { latitude: 60.1, longitude: 24.9 },
    });
    const poll = messageOf({
      ...silent,
      poll: { question: 'When?', answers: [{ text: 'Now', voters: 2 }, { text: [{ text: 'Later' }] }] },
    });

    assert.deepEqual([contact.contentType, contact.text], ['contact', 'Bo Li +1']);
    assert.deepEqual([place.contentType, place.text], ['location', 'Café, 60.1, 24.9']);
    assert.deepEqual([poll.contentType, poll.text], ['text', 'Poll: When?\n- Now (2)\n- Later (0)']);
    assert.equal(messageOf(silent).contentType, 'unknown');
  });

  test('what has a text of its own is not empty', () => {
    const text = (fields: Fields) => messageOf({ ...plain, text: '', ...fields }).text;

    assert.equal(text({ invoice_information: { title: 'Tea', description: '100 g' } }), 'Invoice: Tea\n100 g');
    assert.equal(text({ game_title: 'Chess', game_description: 'Play', game_link: 'x' }), 'Game: Chess\nPlay');
    assert.equal(
      text({ todo_list: { title: { text: 'Trip' }, answers: [{ id: 1, text: [{ text: 'pack' }] }, { text: 'go' }] } }),
      'Checklist: Trip\n- pack\n- go',
    );
    assert.equal(text({ giveaway_information: { quantity: 3 } }), 'Giveaway');
  });

  test('a service message has the actor as its sender', () => {
    const service = { ...plain, type: 'service', actor: 'Bo', actor_id: 'user3', text: '' };
    const said = (fields: Fields) => messageOf({ ...service, ...fields });

    assert.deepEqual(said({ action: 'pin_message', message_id: 4 }).sender, { id: 'user3', name: 'Bo' });
    assert.equal(said({ action: 'pin_message', message_id: 4 }).replyTo, '4');
    assert.equal(said({ action: 'pin_message' }).contentType, 'system');
    assert.equal(
      said({ action: 'create_group', title: 'G', members: ['A', null] }).text,
      'created the group “G” with A, Deleted Account',
    );
    assert.equal(
      said({ action: 'phone_call', duration_seconds: 61, discard_reason: 'hangup' }).text,
      'called (61 seconds, hangup)',
    );
    assert.equal(said({ action: 'some_new_thing', text: 'really' }).text, 'some new thing: really');
    assert.equal(said({}).text, 'service message');
    assert.equal(said({ action: 'constructor' }).text, 'constructor');
  });

  test('reactions are grouped by sender; those without a named sender are omitted', () => {
    const events = eventsOf({
      ...plain,
      reactions: [
        {
          type: 'emoji',
          emoji: '👍',
          count: 9,
          recent: [{ from: 'Bo', from_id: 'user3', date: '2024-06-13T15:05:05' }],
        },
        { type: 'paid', count: 1, recent: [{ from: null, from_id: 'user4', date: 'whenever' }] },
        { type: 'custom_emoji', document_id: '5', count: 1, recent: [{ from: 'Bo', from_id: 'user3' }] },
        { type: 'emoji', emoji: '🎉', count: 3 },
      ],
    });

    assert.deepEqual(events.slice(1), [
      {
        kind: 'reactions',
        chat: 'channel9',
        message: '5',
        sender: { id: 'user3', name: 'Bo' },
        signs: ['👍', 'custom emoji'],
        at: 1_718_280_305_000,
      },
      {
        kind: 'reactions',
        chat: 'channel9',
        message: '5',
        sender: { id: 'user4', name: 'Deleted Account' },
        signs: ['⭐'],
        at: 1_718_280_245_000,
      },
    ]);
  });

  for (const [what, fields, why] of [
    ['could not be exported', { id: 5, type: 'unsupported' }, 'unsupported'],
    ['has no id', { ...plain, id: 'five' }, 'no_id'],
    ['has no time', { ...plain, date: 'then', date_unixtime: 'now' }, 'no_time'],
    ['has a time out of range', { ...plain, date_unixtime: '999999999999' }, 'no_time'],
  ] as const) {
    test(`a message that ${what} is skipped`, () => {
      assert.deepEqual(toEvents(fields, around), { kind: 'skipped', why });
    });
  }
});

describe('Telegram chats', () => {
  for (const [type, chat] of [
    ['personal_chat', { id: 'user3', type: 'direct', name: 'Deleted Account' }],
    ['bot_chat', { id: 'user3', type: 'direct', name: 'Deleted Account' }],
    ['saved_messages', { id: 'user3', type: 'direct', name: 'Saved Messages' }],
    ['replies', { id: 'user3', type: 'direct', name: 'Replies' }],
    ['private_group', { id: 'chat3', type: 'group' }],
    ['private_supergroup', { id: 'channel3', type: 'group' }],
    ['public_supergroup', { id: 'channel3', type: 'group' }],
    ['private_channel', { id: 'channel3', type: 'channel' }],
    ['public_channel', { id: 'channel3', type: 'channel' }],
    ['something_new', { id: 'chat3', type: 'group' }],
    ['toString', { id: 'chat3', type: 'group' }],
  ] as const) {
    test(type, () => {
      assert.deepEqual(toChat({ id: 3, type }), chat);
      assert.deepEqual(toChat({ id: 3, type, name: '' }), chat);
      assert.equal(toChat({ id: 3, type, name: 'Name' })?.name, 'Name');
    });
  }

  test('a chat without an id is ignored', () => {
    assert.equal(toChat({ name: 'Name', type: 'private_group' }), undefined);
  });
});

function eventsOf(fields: Fields): readonly InboundEvent[] {
  const converted = toEvents(fields, around);
  assert(converted.kind === 'events', JSON.stringify(converted));
  return converted.events;
}

function messageOf(fields: Fields): InboundMessage {
  const [event] = eventsOf(fields);
  assert(event?.kind === 'message');
  return event.message;
}

function textOf(fields: Fields): string {
  return messageOf({ ...plain, ...fields }).text;
}
