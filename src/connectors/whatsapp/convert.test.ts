import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InboundEvent } from '../../domain/chat.ts';
import { type Surroundings, toEvents } from './convert.ts';
import type { Fields } from './fields.ts';

const ME = '12025550100@s.whatsapp.net';
const ANTTI = '358401234567@s.whatsapp.net';
const GROUP = '120363040000000001@g.us';
const AT = 1_700_000_000;

const NAMES: Record<string, string> = { [ANTTI]: 'Antti', [ME]: 'Me' };
const AROUND: Surroundings = {
  me: ME,
  idOf: (jid) => jid?.replace('2000@lid', ANTTI) ?? undefined,
  nameOf: (id) => NAMES[id],
  isAdmin: (_group, person) => person === 'admin@s.whatsapp.net',
};

function direct(message: Fields, more: Fields = {}): Fields {
  return { key: { remoteJid: ANTTI, fromMe: false, id: 'A1' }, messageTimestamp: AT, message, ...more };
}

function inGroup(message: Fields, participant = ANTTI): Fields {
  return { key: { remoteJid: GROUP, fromMe: false, id: 'A1', participant }, messageTimestamp: AT, message };
}

function only(message: Fields): InboundEvent {
  const events = toEvents(message, AROUND);
  assert.equal(events.length, 1);
  return events[0] as InboundEvent;
}

function said(message: Fields) {
  const event = only(message);
  assert.ok(event.kind === 'message');
  return event.message;
}

describe('messages of WhatsApp', () => {
  test('a text has its chat, sender and timestamp', () => {
    assert.deepEqual(said(direct({ conversation: 'moi' })), {
      chat: { id: ANTTI, type: 'direct', name: 'Antti' },
      id: 'A1',
      sender: { id: ANTTI, name: 'Antti' },
      text: 'moi',
      contentType: 'text',
      at: AT * 1_000,
    });
  });

  test('in a group the sender is the participant, whichever address it has', () => {
    const message = said(inGroup({ conversation: 'moi' }, '2000@lid'));

    assert.deepEqual([message.chat, message.sender.id], [{ id: GROUP, type: 'group' }, ANTTI]);
  });

  test('an own message is marked, and its chat is the recipient', () => {
    const message = said({ ...direct({ conversation: 'x' }), key: { remoteJid: ANTTI, fromMe: true, id: 'A2' } });

    assert.deepEqual([message.isOwn, message.sender.id, message.chat.id], [true, ME, ANTTI]);
  });

  test('a message to a broadcast list is a direct message, and a status update is not stored', () => {
    const key = { remoteJid: '1@broadcast', fromMe: false, id: 'A1', participant: ANTTI };

    assert.equal(said({ ...direct({ conversation: 'x' }), key }).chat.id, ANTTI);
    assert.deepEqual(
      toEvents({ ...direct({ conversation: 'x' }), key: { ...key, remoteJid: 'status@broadcast' } }, AROUND),
      [],
    );
  });

  test('a reply refers to the message it answers, also inside of wrappers', () => {
    const extendedTextMessage = { text: 'yes', contextInfo: { stanzaId: 'Q1' } };

    for (const message of [
      { extendedTextMessage },
      { ephemeralMessage: { message: { viewOnceMessage: { message: { extendedTextMessage } } } } },
    ]) {
      assert.partialDeepStrictEqual(said(direct(message)), { text: 'yes', replyTo: 'Q1' });
    }
  });

  test('an edit names the message and its author', () => {
    const protocolMessage = { type: 14, key: { id: 'E1' }, editedMessage: { conversation: 'new' }, timestampMs: 5 };

    assert.deepEqual(only(direct({ protocolMessage })), {
      kind: 'edit',
      chat: ANTTI,
      message: 'E1',
      text: 'new',
      at: 5,
      sender: ANTTI,
    });
  });

  test('a deletion must come from the author, unless an admin of the group makes it', () => {
    const protocolMessage = { type: 0, key: { id: 'D1' } };

    assert.partialDeepStrictEqual(only(inGroup({ protocolMessage })), { kind: 'delete', message: 'D1', sender: ANTTI });
    assert.equal('sender' in only(inGroup({ protocolMessage }, 'admin@s.whatsapp.net')), false);
  });

  test('a reaction replaces the former one, and an empty one removes it', () => {
    const reaction = (text: string) =>
      only(direct({ reactionMessage: { key: { id: 'R1' }, text, senderTimestampMs: 7 } }));

    assert.partialDeepStrictEqual(reaction('👍'), { kind: 'reactions', message: 'R1', signs: ['👍'], at: 7 });
    assert.partialDeepStrictEqual(reaction(''), { signs: [] });
  });

  test('a message of the history comes with its reactions', () => {
    const reactions = [
      { key: { fromMe: true, id: 'x' }, text: '🎉' },
      { key: { remoteJid: ANTTI, id: 'y' }, text: '👍' },
    ];

    const [, ...others] = toEvents(direct({ conversation: 'x' }, { reactions }), AROUND);

    assert.deepEqual(
      others.map((event) => event.kind === 'reactions' && [event.message, event.sender.id, event.signs]),
      [
        ['A1', ME, ['🎉']],
        ['A1', ANTTI, ['👍']],
      ],
    );
  });

  test('media has its kind, name and size, and an address that only WhatsApp can answer', () => {
    const documentMessage = {
      fileName: 'report.pdf',
      mimetype: 'application/pdf; x=y',
      fileLength: { low: 1_000, high: 0, unsigned: true, toString: () => '1000' },
      caption: 'see this',
      directPath: '/v/t62/abc.enc?ccb=1',
      mediaKey: Buffer.alloc(32, 1),
      url: 'http://attacker.example/x',
    };

    const message = said(direct({ documentMessage }));

    assert.partialDeepStrictEqual(message, { text: 'see this', contentType: 'file' });
    assert.deepEqual(message.attachments, [
      {
        type: 'file',
        name: 'report.pdf',
        mime: 'application/pdf',
        size: 1_000,
        url: `whatsapp:document/${Buffer.alloc(32, 1).toString('base64url')}/v/t62/abc.enc?ccb=1`,
      },
    ]);
  });

  for (const [what, content, expected] of [
    [
      'a location',
      { locationMessage: { degreesLatitude: 60.17, degreesLongitude: 24.94, name: 'Helsinki' } },
      ['location', '60.17, 24.94\nHelsinki'],
    ],
    [
      'a contact',
      { contactMessage: { displayName: 'Liisa', vcard: 'BEGIN:VCARD\nTEL;waid=1:+358 40 1\nEND:VCARD' } },
      ['contact', 'Liisa +358 40 1'],
    ],
    [
      'a poll',
      { pollCreationMessageV3: { name: 'Lunch?', options: [{ optionName: 'Yes' }, { optionName: 'No' }] } },
      ['text', 'Poll: Lunch?\n- Yes\n- No'],
    ],
    ['an unknown kind', { futureMessage: { x: 1 } }, ['unknown', '[future]']],
    ['a kind this version cannot decode', { messageContextInfo: {} }, ['unknown', '[Content of an unknown kind]']],
  ] as const) {
    test(`${what} is shown as what it is`, () => {
      const { contentType, text } = said(direct(content));

      assert.deepEqual([contentType, text], expected);
    });
  }

  test('keys and votes are no messages', () => {
    for (const content of [
      { senderKeyDistributionMessage: {} },
      { pollUpdateMessage: {} },
      { protocolMessage: { type: 6 } },
    ]) {
      assert.deepEqual(toEvents(direct(content), AROUND), []);
    }
  });

  test('a note of the network names people', () => {
    const note = { ...inGroup({}), message: undefined, messageStubType: 27, messageStubParameters: ['2000@lid'] };

    assert.partialDeepStrictEqual(said(note), { contentType: 'system', text: 'Antti added Antti' });
    assert.deepEqual(toEvents({ ...note, messageStubType: 39 }, AROUND), []);
  });
});
