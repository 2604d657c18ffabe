import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toEvents } from './convert.ts';
import type { Fields } from './fields.ts';
import { parseJid } from './jids.ts';
import { mediaAttachment, parseMediaAddress } from './media-address.ts';

const AROUND = {
  me: '1@s.whatsapp.net',
  idOf: (jid: string | null | undefined) => {
    const found = parseJid(jid);
    return found && `${found.user}@${found.server}`;
  },
  nameOf: () => undefined,
  isAdmin: () => false,
};
const KINDS = [
  'conversation',
  'extendedTextMessage',
  'imageMessage',
  'documentMessage',
  'locationMessage',
  'contactMessage',
  'contactsArrayMessage',
  'pollCreationMessage',
  'protocolMessage',
  'reactionMessage',
  'ephemeralMessage',
  'interactiveMessage',
  '__proto__',
  'constructor',
  'toString',
];
const FIELDS = [
  'text',
  'key',
  'id',
  'contextInfo',
  'stanzaId',
  'message',
  'vcard',
  'contacts',
  'options',
  'type',
  'directPath',
  'mediaKey',
];

const anything = fc.anything({
  withBigInt: true,
  withTypedArray: true,
  maxDepth: 3,
  key: fc.constantFrom(...FIELDS, ...KINDS),
});
const content = fc.dictionary(fc.constantFrom(...KINDS), anything, { noNullPrototype: false });
const hostileMessage = fc.record({
  key: fc.oneof(
    anything,
    fc.record({
      remoteJid: fc.oneof(fc.string(), fc.constant('5@s.whatsapp.net')),
      id: fc.string(),
      fromMe: fc.boolean(),
      participant: anything,
    }),
  ),
  message: fc.oneof(anything, content),
  messageTimestamp: anything,
  messageStubType: fc.oneof(fc.integer({ min: 0, max: 60 }), anything),
  messageStubParameters: anything,
  reactions: anything,
});

describe('messages of strangers', () => {
  test('whatever is in a message, it is converted without failure, and its fields are bounded', () => {
    fc.assert(
      fc.property(hostileMessage, (message) => {
        for (const event of toEvents(message as Fields, AROUND)) {
          if (event.kind !== 'message') continue;
          const { id, text, at, sender, chat } = event.message;
          assert.ok(id !== '' && id.length <= 200);
          assert.ok(text.length <= 200_000 && text.isWellFormed());
          assert.ok(Number.isSafeInteger(at) && at >= 0);
          assert.ok(sender.id !== '' && parseJid(chat.id));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('messages nested without end are cut', () => {
    let message: Fields = { conversation: 'deep' };
    for (let depth = 0; depth < 10_000; depth++) message = { ephemeralMessage: { message } };

    const events = toEvents({ key: { remoteJid: '5@s.whatsapp.net', id: 'x' }, message }, AROUND);

    assert.equal(events.length, 1);
  });

  test('a contact card of many megabytes is read in time', () => {
    const vcard = `TEL;${'x:'.repeat(2_000_000)}\n`.repeat(2);

    const [event] = toEvents(
      { key: { remoteJid: '5@s.whatsapp.net', id: 'x' }, message: { contactMessage: { vcard } } },
      AROUND,
    );

    assert.ok(event?.kind === 'message' && event.message.text === 'Contact');
  });

  test('the address of a file cannot lead to another host', () => {
    const mediaKey = Buffer.alloc(32, 7);
    const paths = ['//evil.example/x', '@evil.example/x', 'https://evil.example/x', '/a b', '/\u0000', '/a\\..\\b', ''];

    for (const directPath of paths) {
      assert.equal(mediaAttachment('file', 'document', { directPath, mediaKey }).url, undefined);
    }
    assert.equal(parseMediaAddress(`whatsapp:document/${mediaKey.toString('base64url')}//evil.example/x`), undefined);
    assert.equal(parseMediaAddress(`whatsapp:other/${mediaKey.toString('base64url')}/x`), undefined);
  });

  test('an address of a file is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.stringMatching(/^\/[a-z0-9]([\w.%=&?-]){0,100}$/),
        (mediaKey, directPath) => {
          const { url } = mediaAttachment('image', 'image', { directPath, mediaKey });

          assert.deepEqual(parseMediaAddress(url), { kind: 'image', path: directPath, key: Buffer.from(mediaKey) });
        },
      ),
    );
  });
});
