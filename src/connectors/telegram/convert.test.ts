import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Long, type tl } from '@mtcute/core';
import type { InboundMessage } from '../../domain/chat.ts';
import { messageAt, toEdit, toEvents } from './convert.ts';

const SELF = 1;
const users = new Map<number, tl.TypeUser>([
  [SELF, { _: 'user', self: true, id: SELF, firstName: 'Me' }],
  [2, { _: 'user', id: 2, firstName: 'Ann', lastName: 'Li' }],
  [3, { _: 'user', id: 3, deleted: true }],
]);
const photo = { _: 'chatPhotoEmpty' } as const;
const chats = new Map<number, tl.TypeChat>([
  [4, { _: 'chat', id: 4, title: 'Family', participantsCount: 3, date: 0, version: 1, photo }],
  [5, { _: 'channel', id: 5, megagroup: true, title: 'team', date: 0, photo, participantsCount: 20 }],
  [6, { _: 'channel', id: 6, broadcast: true, title: 'News', date: 0, photo }],
]);
const translation = { self: String(SELF), peers: { users, chats } };

const user = (userId: number): tl.TypePeer => ({ _: 'peerUser', userId });
const group: tl.TypePeer = { _: 'peerChat', chatId: 4 };
const supergroup: tl.TypePeer = { _: 'peerChannel', channelId: 5 };
const channel: tl.TypePeer = { _: 'peerChannel', channelId: 6 };

function raw(fields: Partial<tl.RawMessage> = {}): tl.RawMessage {
  return { _: 'message', id: 7, peerId: supergroup, fromId: user(2), date: 1_000, message: 'hello', ...fields };
}

function converted(message: tl.TypeMessage): InboundMessage {
  const [event] = toEvents(message, translation);
  assert.ok(event?.kind === 'message');
  return event.message;
}

describe('messages of Telegram', () => {
  test('a message of a supergroup has its chat, sender and timestamp', () => {
    assert.deepEqual(converted(raw()), {
      chat: { id: '-1000000000005', type: 'group', name: 'team', participantCount: 20 },
      id: '7',
      sender: { id: '2', name: 'Ann Li' },
      text: 'hello',
      contentType: 'text',
      at: 1_000_000,
    });
  });

  for (const [what, fields, chat, sender, isOwn] of [
    [
      'a direct message',
      { peerId: user(2), fromId: undefined },
      { id: '2', name: 'Ann Li', type: 'direct' },
      '2',
      false,
    ],
    ['our direct message', { peerId: user(2), fromId: undefined, out: true }, { id: '2', type: 'direct' }, '1', true],
    ['a saved message', { peerId: user(SELF), out: true }, { id: '1', name: 'Saved Messages' }, '2', false],
    ['a message of a group', { peerId: group }, { id: '-4', name: 'Family', type: 'group' }, '2', false],
    [
      'a post',
      { peerId: channel, fromId: undefined, post: true },
      { id: '-1000000000006', type: 'channel' },
      '-1000000000006',
      false,
    ],
    [
      'a message of a chat that is not known',
      { peerId: user(9), fromId: user(9) },
      { id: '9', type: 'direct' },
      '9',
      false,
    ],
  ] as const) {
    test(`${what}: its chat and its sender`, () => {
      const message = converted(raw(fields as Partial<tl.RawMessage>));

      assert.partialDeepStrictEqual(message.chat, chat);
      assert.deepEqual([message.sender.id, message.isOwn === true], [sender, isOwn]);
    });
  }

  test('a signed post names its author, and a deleted account is named so', () => {
    const post = converted(
      raw({ peerId: channel, fromId: undefined, postAuthor: 'Bo' } as unknown as Partial<tl.RawMessage>),
    );

    assert.equal(post.sender.name, 'News (Bo)');
    assert.equal(converted(raw({ fromId: user(3) })).sender.name, 'Deleted Account');
  });

  test('a reply names the message that it answers, in the same chat only', () => {
    const replyTo = (header: Partial<tl.RawMessageReplyHeader>) =>
      converted(raw({ replyTo: { _: 'messageReplyHeader', ...header } })).replyTo;

    assert.equal(replyTo({ replyToMsgId: 3 }), '3');
    assert.equal(replyTo({ replyToMsgId: 3, replyToPeerId: channel }), undefined);
    assert.equal(replyTo({ replyToMsgId: 3, forumTopic: true }), undefined);
    assert.equal(replyTo({ replyToMsgId: 4, replyToTopId: 3, forumTopic: true }), '4');
  });

  test('a hidden change is not an edit', () => {
    assert.equal(converted(raw({ editDate: 2_000 })).editedAt, 2_000_000);
    assert.equal(converted(raw({ editDate: 2_000, editHide: true })).editedAt, undefined);
    assert.deepEqual(toEdit(raw({ editDate: 2_000, editHide: true }), translation), []);
    assert.deepEqual(toEdit(raw({ editDate: 2_000, message: 'new' }), translation), [
      { kind: 'edit', chat: '-1000000000005', message: '7', text: 'new', at: 2_000_000 },
    ]);
  });

  test('reactions follow their message, by sender', () => {
    const reaction = (emoticon: string) => ({ _: 'reactionEmoji', emoticon }) as const;
    const by = (userId: number, sign: string) =>
      ({ _: 'messagePeerReaction', peerId: user(userId), date: 3, reaction: reaction(sign) }) as const;

    const [, ...events] = toEvents(
      raw({
        reactions: { _: 'messageReactions', results: [], recentReactions: [by(2, '👍'), by(1, '🎉'), by(2, '❤')] },
      }),
      translation,
    );

    assert.deepEqual(
      events.map((event) => (event.kind === 'reactions' ? [event.sender.id, event.signs] : event)),
      [
        ['2', ['👍', '❤']],
        ['1', ['🎉']],
      ],
    );
  });

  for (const [what, media, contentType, text] of [
    [
      'a place',
      { _: 'messageMediaGeo', geo: { _: 'geoPoint', lat: 60.1, long: 24.9, accessHash: Long.ZERO } },
      'location',
      '60.1, 24.9',
    ],
    [
      'a contact',
      { _: 'messageMediaContact', phoneNumber: '+1', firstName: 'Bo', lastName: '', vcard: '', userId: 0 },
      'contact',
      'Bo +1',
    ],
    ['a dice', { _: 'messageMediaDice', value: 6, emoticon: '🎲' }, 'text', '🎲 6'],
    ['content of a later version', { _: 'messageMediaUnsupported' }, 'unknown', '[unsupported]'],
    ['a link', { _: 'messageMediaEmpty' }, 'unknown', ''],
  ] as const) {
    test(`${what} is shown as text`, () => {
      const message = converted(raw({ message: '', media: media as unknown as tl.TypeMessageMedia }));

      assert.deepEqual([message.contentType, message.text], [contentType, text]);
    });
  }

  for (const [attributes, type] of [
    [[{ _: 'documentAttributeAudio', voice: true, duration: 1 }], 'audio'],
    [[{ _: 'documentAttributeVideo', duration: 1, w: 1, h: 1 }], 'video'],
    [[{ _: 'documentAttributeSticker', alt: '😀', stickerset: { _: 'inputStickerSetEmpty' } }], 'sticker'],
    [[{ _: 'documentAttributeFilename', fileName: 'report.pdf' }], 'file'],
  ] as const) {
    test(`a file of the kind ${type} has its metadata, and an address to download it by`, () => {
      const document: tl.TypeDocument = {
        _: 'document',
        id: Long.ONE,
        accessHash: Long.ONE,
        fileReference: new Uint8Array(),
        date: 0,
        mimeType: 'application/pdf',
        size: 5,
        dcId: 2,
        attributes: attributes as unknown as tl.TypeDocumentAttribute[],
      };

      const { attachments: [attachment] = [], contentType } = converted(
        raw({ media: { _: 'messageMediaDocument', document } }),
      );

      assert.equal(contentType, type);
      assert.partialDeepStrictEqual(attachment, { type, mime: 'application/pdf', size: 5 });
      assert.deepEqual(messageAt(attachment?.url), { chat: '-1000000000005', message: 7 });
    });
  }

  test('a forwarded message says from whom', () => {
    const message = converted(raw({ fwdFrom: { _: 'messageFwdHeader', date: 0, fromName: 'Bo' } }));

    assert.equal(message.text, 'Forwarded from Bo:\nhello');
  });

  test('what Telegram itself writes is a system message', () => {
    const service = (action: tl.TypeMessageAction) =>
      converted({ _: 'messageService', id: 8, peerId: group, fromId: user(2), date: 1, action });

    assert.equal(service({ _: 'messageActionChatEditTitle', title: 'New' }).contentType, 'system');
    assert.equal(service({ _: 'messageActionChatEditTitle', title: 'New' }).text, 'Ann Li changed the name to “New”');
    assert.equal(service({ _: 'messageActionChatAddUser', users: [2] }).text, 'Ann Li joined');
    assert.equal(service({ _: 'messageActionChatDeleteUser', userId: 1 }).text, 'Ann Li removed Me');
    assert.equal(service({ _: 'messageActionPinMessage' }).text, 'Ann Li pinned a message');
    assert.equal(service({ _: 'messageActionScreenshotTaken' }).text, 'Ann Li: Screenshot taken');
  });

  test('an empty message is none', () => {
    assert.deepEqual(toEvents({ _: 'messageEmpty', id: 1 }, translation), []);
    assert.deepEqual(toEdit({ _: 'messageEmpty', id: 1 }, translation), []);
  });

  test('only addresses of ours are those of messages', () => {
    for (const url of [undefined, '', 'https://example.test', 'telegram:x/1', 'telegram:1/2/3', 'telegram:1/-2']) {
      assert.equal(messageAt(url), undefined);
    }
  });
});
