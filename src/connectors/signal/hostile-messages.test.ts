import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { attachmentPlace, withMentions } from './content.ts';
import { type Directory, toInbound } from './convert.ts';
import { readNotification } from './schema.ts';

const ABOUT: Directory = {
  self: { number: '+1', uuid: undefined },
  nameOf: () => undefined,
  groupName: () => undefined,
  uuidOf: () => undefined,
  firstVersion: (id) => id,
};
const FIELDS = [
  ...['message', 'timestamp', 'reaction', 'quote', 'mentions', 'attachments', 'sticker', 'remoteDelete', 'contacts'],
  ...['pollCreate', 'groupInfo', 'adminDelete', 'pinMessage', 'isExpirationUpdate', 'viewOnce', 'payment'],
];

describe('what strangers can send over Signal', () => {
  test('any content is converted to well-formed events, or to none', () => {
    const content = fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue());
    const envelopes = fc.record(
      {
        sourceUuid: fc.oneof(fc.uuid(), fc.jsonValue()),
        sourceNumber: fc.oneof(fc.constant('+2'), fc.jsonValue()),
        sourceName: fc.jsonValue(),
        timestamp: fc.oneof(fc.nat(), fc.jsonValue()),
        dataMessage: fc.oneof(content, fc.jsonValue()),
        editMessage: fc.oneof(fc.record({ targetSentTimestamp: fc.jsonValue(), dataMessage: content }), fc.jsonValue()),
        syncMessage: fc.oneof(fc.record({ sentMessage: content }), fc.jsonValue()),
        callMessage: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );

    fc.assert(
      fc.property(envelopes, (envelope) => {
        const received = readNotification({ envelope });
        for (const event of received ? toInbound(received, ABOUT) : []) {
          if (event.kind !== 'message') continue;
          const { id, chat, sender, text, at } = event.message;
          for (const each of [id, chat.id, sender.id, sender.name, text]) assert.equal(typeof each, 'string');
          assert.ok(id !== '' && chat.id !== '' && Number.isSafeInteger(at) && at > 0);
        }
      }),
    );
  });

  test('mentions anywhere leave the rest of the text as it is', () => {
    const mentions = fc.array(
      fc.record({
        start: fc.nat(12),
        length: fc.nat(12),
        name: fc.constant('N'),
        number: fc.constant(undefined),
        uuid: fc.constant(undefined),
      }),
    );

    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\ufffc', '👍') }), mentions, (text, places) => {
        const shown = withMentions(text, places, () => undefined);

        assert.ok(shown.split('@N').length - 1 <= text.split('\ufffc').length - 1);
        if (!text.includes('\ufffc')) assert.equal(shown, text);
      }),
    );
  });

  test('lists of any length are bounded', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ id: `f${index}`, contentType: 'image/png' }));
    const received = readNotification({
      envelope: { sourceUuid: crypto.randomUUID(), timestamp: 1, dataMessage: { attachments: many } },
    });
    assert.ok(received);

    const [event] = toInbound(received, ABOUT);

    assert.ok(event?.kind === 'message' && event.message.attachments?.length === 100);
  });

  test('the address of an attachment is only one of ours', () => {
    const urls = [undefined, 'https://example.test/x', 'signal:', 'signal:a', 'signal:a/b/c', 'signal:%zz/x'];

    assert.deepEqual(
      urls.map((url) => attachmentPlace({ type: 'file', ...(url === undefined ? {} : { url }) })),
      urls.map(() => undefined),
    );
    assert.deepEqual(attachmentPlace({ type: 'file', url: 'signal:a%2Fb/c.jpg' }), { chat: 'a/b', id: 'c.jpg' });
  });
});
