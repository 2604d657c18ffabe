import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Long, type tl } from '@mtcute/core';
import fc from 'fast-check';
import { reactionEvents, toEdit, toEvents } from './convert.ts';
import { readCursor } from './epochs.ts';

const text = fc.string({ unit: 'binary', maxLength: 300 });
const id = fc.integer({ min: 1, max: 2 ** 40 });
const peer: fc.Arbitrary<tl.TypePeer> = fc.oneof(
  id.map((userId) => ({ _: 'peerUser', userId }) as const),
  id.map((chatId) => ({ _: 'peerChat', chatId }) as const),
  id.map((channelId) => ({ _: 'peerChannel', channelId }) as const),
);
const photo = { _: 'chatPhotoEmpty' } as const;
const user: fc.Arbitrary<tl.TypeUser> = fc
  .record({ id, firstName: text, lastName: text })
  .map((fields) => ({ _: 'user', ...fields }) as const);
const chat: fc.Arbitrary<tl.TypeChat> = fc.oneof(
  fc.record({ id, title: text }).map((fields) => ({ _: 'chatForbidden', ...fields }) as const),
  fc.record({ id, title: text, date: fc.integer() }).map((fields) => ({ _: 'channel', photo, ...fields }) as const),
);
const document = fc.record({ mimeType: text, size: fc.double(), fileName: text }).map(
  ({ fileName, ...fields }) =>
    ({
      _: 'document',
      id: Long.ONE,
      accessHash: Long.ONE,
      fileReference: new Uint8Array(),
      date: 0,
      dcId: 1,
      attributes: [{ _: 'documentAttributeFilename', fileName }],
      ...fields,
    }) as const,
);
const media: fc.Arbitrary<tl.TypeMessageMedia | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constant({ _: 'messageMediaUnsupported' } as const),
  document.map((value) => ({ _: 'messageMediaDocument', document: value }) as unknown as tl.TypeMessageMedia),
);
const message: fc.Arbitrary<tl.RawMessage> = fc
  .record(
    { id: fc.nat(), peerId: peer, fromId: peer, date: fc.integer(), message: text, media, editDate: fc.integer() },
    { requiredKeys: ['id', 'peerId', 'date', 'message'] },
  )
  .map((fields) => ({ _: 'message', ...fields }) as tl.RawMessage);

describe('hostile messages of Telegram', () => {
  test('every message becomes one of ours, with well-formed and bounded texts', () => {
    fc.assert(
      fc.property(message, fc.array(user), fc.array(chat), (raw, users, chats) => {
        const peers = {
          users: new Map(users.map((each) => [each.id, each])),
          chats: new Map(chats.map((each) => [each.id, each])),
        };

        const [event] = toEvents(raw, { self: '1', peers });

        assert.ok(event?.kind === 'message');
        const { chat: where, sender, text: shown, at } = event.message;
        assert.ok(Number.isFinite(at));
        assert.match(where.id, /^-?\d+$/);
        for (const name of [where.name ?? '', sender.name, shown]) assert.ok(name.isWellFormed());
        assert.ok(sender.name.length > 0 && sender.name.length <= 400);
        toEdit(raw, { self: '1', peers });
      }),
    );
  });

  test('a text or a name of any length is cut', () => {
    const long = 'x'.repeat(1_000_000);
    const peers = { users: new Map([[2, { _: 'user', id: 2, firstName: long } as const]]), chats: new Map() };
    const raw = { _: 'message', id: 1, peerId: { _: 'peerUser', userId: 2 }, date: 1, message: long } as const;

    const [event] = toEvents(raw, { self: '1', peers });

    assert.ok(event?.kind === 'message');
    assert.ok(event.message.text.length <= 65_536 && event.message.sender.name.length <= 256);
  });

  test('of any number of reactions few are read', () => {
    const peerId = { _: 'peerUser', userId: 2 } as const;
    const many = Array.from(
      { length: 10_000 },
      (_, index) =>
        ({
          _: 'messagePeerReaction',
          peerId: { _: 'peerUser', userId: index + 1 },
          date: 1,
          reaction: { _: 'reactionEmoji', emoticon: '👍' },
        }) as const,
    );

    const events = reactionEvents(
      peerId,
      1,
      { _: 'messageReactions', results: [], recentReactions: many },
      { self: '1', peers: { users: new Map(), chats: new Map() } },
    );

    assert.equal(events.length, 200);
  });

  test('a cursor is read only if it is ours', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        const found = readCursor(cursor);

        assert.ok(found === undefined || (Number.isSafeInteger(found.message) && /^[0-9a-f]*$/.test(found.epoch)));
      }),
    );
  });
});
