import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stanza } from '../../../tests/support/xmpp/stanza.ts';
import type { InboundEvent, InboundMessage } from '../../domain/chat.ts';
import type { OwnAddress, RoomView } from './chat-address.ts';
import { type Reference, readMessage, stampedId, toEvents } from './convert.ts';

const AT = Date.UTC(2026, 10, 16);
const ROOM: RoomView = {
  jid: 'team@rooms.example',
  name: 'The team',
  nick: 'me',
  ownId: 'occupant-me',
  givesOccupantIds: true,
  stampsIds: true,
  participantCount: 3,
};
const HERE: OwnAddress = {
  self: 'me@example',
  ownName: 'me',
  nameOf: (jid) => (jid === 'bob@example' ? 'Bob' : undefined),
  room: (jid) => (jid === ROOM.jid ? ROOM : undefined),
};

describe('a direct message', () => {
  test('belongs to the chat with its sender, named as in the roster', () => {
    const message = read(`<message from="Bob@Example/phone" type="chat" id="1"><body>hi &amp; bye</body></message>`);

    assert.deepEqual(message, {
      chat: { id: 'bob@example', name: 'Bob', type: 'direct', participantCount: 2 },
      id: 'archived',
      sender: { id: 'bob@example', name: 'Bob' },
      isOwn: false,
      text: 'hi & bye',
      contentType: 'text',
      at: AT,
    });
  });

  test('of our own, from another device, belongs to the chat with the recipient', () => {
    const message = read(`<message from="me@example/phone" to="bob@example" type="chat"><body>hi</body></message>`);

    assert.deepEqual([message.chat.id, message.sender.id, message.isOwn], ['bob@example', 'me@example', true]);
  });

  test('to ourselves belongs to a chat with ourselves', () => {
    const message = read(`<message from="me@example/phone" to="me@example" type="chat"><body>milk</body></message>`);

    assert.deepEqual([message.chat.id, message.isOwn], ['me@example', true]);
  });

  test('of a room member belongs to a separate chat, identified by the nickname', () => {
    const message = read(`<message from="team@rooms.example/eve" type="chat"><body>psst</body></message>`);

    assert.deepEqual(message.chat, {
      id: 'team@rooms.example/eve',
      name: 'eve (The team)',
      type: 'direct',
      participantCount: 2,
    });
    assert.deepEqual(message.sender, { id: 'team@rooms.example/eve', name: 'eve' });
  });

  test('with a subject has the subject before its text', () => {
    const message = read(`<message from="bob@example"><subject>Lunch</subject><body>At one?</body></message>`);

    assert.equal(message.text, 'Lunch\nAt one?');
  });

  test('in several languages has the text without a language tag', () => {
    const message = read(`<message from="bob@example"><body xml:lang="de">Hallo</body><body>hello</body></message>`);

    assert.equal(message.text, 'hello');
  });
});

describe('a message in a room', () => {
  test('has the occupant id of its sender, and the room’s name', () => {
    const message = read(inRoom('bob', '<body>hi</body>'));

    assert.deepEqual(message.chat, { id: ROOM.jid, name: 'The team', type: 'group', participantCount: 3 });
    assert.deepEqual(message.sender, { id: 'occupant-bob', name: 'bob' });
  });

  test('is our own if the occupant id is ours, under any nickname', () => {
    const own = read(
      `<message from="${ROOM.jid}/former" type="groupchat"><body>x</body><occupant-id xmlns="urn:xmpp:occupant-id:0" id="occupant-me"/></message>`,
    );
    const namesake = read(inRoom('me', '<body>x</body>', 'occupant-other'));

    assert.deepEqual([own.isOwn, namesake.isOwn], [true, false]);
  });

  test('identifies the sender by nickname if the room assigns no occupant ids', () => {
    const plain: OwnAddress = { ...HERE, room: () => ({ ...ROOM, givesOccupantIds: false }) };

    const [event] = events(inRoom('bob', '<body>hi</body>', 'occupant-boss'), { here: plain });

    assert.equal(event?.kind === 'message' && event.message.sender.id, `${ROOM.jid}/bob`);
  });

  test('is ignored if we are not in the room', () => {
    assert.deepEqual(events(`<message from="other@rooms.example/x" type="groupchat"><body>x</body></message>`), []);
  });

  test('reports the subject when it is set, not when we join', () => {
    const set = inRoom('bob', '<subject>Plans</subject>');

    const [now] = events(set);
    const entering = events(set, { archiveId: undefined });

    assert.equal(now?.kind === 'message' && now.message.text, 'Subject: Plans');
    assert.equal(now?.kind === 'message' && now.message.contentType, 'system');
    assert.deepEqual(entering, []);
  });
});

describe('references to another message', () => {
  test('a correction refers to the sender’s id, and only to messages of that sender', () => {
    const asked: Reference[] = [];
    const [edit] = events(inRoom('bob', '<body>right</body><replace id="1" xmlns="urn:xmpp:message-correct:0"/>'), {
      find(reference) {
        asked.push(reference);
        return 'target';
      },
    });

    assert.deepEqual(asked, [{ by: 'sender', id: '1', senders: ['occupant-bob'] }]);
    assert.deepEqual(edit, {
      kind: 'edit',
      chat: ROOM.jid,
      message: 'target',
      text: 'right',
      at: AT,
      sender: 'occupant-bob',
    });
  });

  test('a correction of an unknown message is a new message', () => {
    const [said] = events(
      `<message from="bob@example" type="chat"><body>right</body><replace id="1" xmlns="urn:xmpp:message-correct:0"/></message>`,
      { find: () => undefined },
    );

    assert.equal(said?.kind === 'message' && said.message.text, 'right');
  });

  test('a retraction refers to the room’s id in a room, else to the sender’s id', () => {
    const retract = '<retract id="7" xmlns="urn:xmpp:message-retract:1"/><body>I retracted something</body>';
    const find = (reference: Reference) => `${reference.by} ${reference.id}`;

    const [room] = events(inRoom('bob', retract), { find });
    const [direct] = events(`<message from="bob@example" type="chat">${retract}</message>`, { find });

    assert.deepEqual(room, { kind: 'delete', chat: ROOM.jid, message: 'archive 7', at: AT, sender: 'occupant-bob' });
    assert.deepEqual(direct, {
      kind: 'delete',
      chat: 'bob@example',
      message: 'sender 7',
      at: AT,
      sender: 'bob@example',
    });
  });

  test('a retraction in the older format is supported', () => {
    const [event] = events(
      `<message from="bob@example" type="chat"><apply-to id="7" xmlns="urn:xmpp:fasten:0"><retract xmlns="urn:xmpp:message-retract:0"/></apply-to></message>`,
    );

    assert.equal(event?.kind, 'delete');
  });

  for (const [version, payload] of Object.entries({
    new: '<retract id="7" xmlns="urn:xmpp:message-retract:1"><moderated by="x" xmlns="urn:xmpp:message-moderate:1"/></retract>',
    old: '<apply-to id="7" xmlns="urn:xmpp:fasten:0"><moderated by="x" xmlns="urn:xmpp:message-moderate:0"><retract xmlns="urn:xmpp:message-retract:0"/></moderated></apply-to>',
  })) {
    test(`only the room can delete messages of others (${version} extension)`, () => {
      const byRoom = events(`<message from="${ROOM.jid}" type="groupchat">${payload}</message>`);
      const byOccupant = events(inRoom('eve', payload), { archiveId: undefined });

      assert.deepEqual(byRoom, [{ kind: 'delete', chat: ROOM.jid, message: 'found 7', at: AT }]);
      assert.deepEqual(byOccupant, []);
    });
  }

  test('a deleted message is stored without text', () => {
    const found = events(
      inRoom('bob', '<retracted stamp="2026-11-15T00:00:00Z" xmlns="urn:xmpp:message-retract:1"/><body>gone</body>'),
    );

    assert.equal(found[0]?.kind === 'message' && found[0].message.text, '');
    assert.deepEqual(found[1], { kind: 'delete', chat: ROOM.jid, message: 'archived', at: Date.UTC(2026, 10, 15) });
  });

  test('reactions replace the earlier ones of the sender, without duplicates', () => {
    const [event] = events(
      inRoom(
        'bob',
        '<reactions id="7" xmlns="urn:xmpp:reactions:0"><reaction>👍</reaction><reaction> 👍 </reaction><reaction>🐢</reaction><reaction/></reactions>',
      ),
    );

    assert.deepEqual(event, {
      kind: 'reactions',
      chat: ROOM.jid,
      message: 'found 7',
      sender: { id: 'occupant-bob', name: 'bob' },
      signs: ['👍', '🐢'],
      at: AT,
    });
  });

  test('a reply has no quoted text', () => {
    const message = read(
      `<message from="bob@example" type="chat"><body>&gt; 😀 hi\nyes</body><reply id="7" xmlns="urn:xmpp:reply:0"/><fallback for="urn:xmpp:reply:0" xmlns="urn:xmpp:fallback:0"><body start="0" end="7"/></fallback></message>`,
    );

    assert.equal(message.text, 'yes');
    assert.equal(message.replyTo, 'found 7');
  });

  test('a quotation with an invalid range is not removed', () => {
    for (const range of ['start="-1" end="2"', 'start="a"', 'start="5" end="2"', 'start="9999999999"']) {
      const message = read(
        `<message from="bob@example" type="chat"><body>all of it</body><reply id="7" xmlns="urn:xmpp:reply:0"/><fallback for="urn:xmpp:reply:0" xmlns="urn:xmpp:fallback:0"><body ${range}/></fallback></message>`,
      );

      assert.equal(message.text, 'all of it');
    }
  });
});

describe('messages without text', () => {
  test('typing states, receipts, markers and device events are ignored', () => {
    for (const signal of [
      '<composing xmlns="http://jabber.org/protocol/chatstates"/>',
      '<received id="1" xmlns="urn:xmpp:receipts"/>',
      '<displayed id="1" xmlns="urn:xmpp:chat-markers:0"/><store xmlns="urn:xmpp:hints"/>',
      '<event xmlns="http://jabber.org/protocol/pubsub#event"><items/></event>',
      '<thread>x</thread>',
      '',
    ]) {
      assert.deepEqual(events(`<message from="bob@example" type="chat">${signal}</message>`), [], signal);
    }
  });

  test('unsupported content is stored as unknown if it is archived, else ignored', () => {
    const dance = '<message from="bob@example" type="chat"><dance xmlns="urn:example:dance"/></message>';

    const [kept] = events(dance);
    const passing = events(dance, { archiveId: undefined });

    assert.equal(kept?.kind === 'message' && kept.message.contentType, 'unknown');
    assert.deepEqual(passing, []);
  });

  test('an encrypted message is stored with the fallback text of its sender', () => {
    const message = read(
      `<message from="bob@example" type="chat"><body>I sent you an OMEMO message</body><encrypted xmlns="eu.siacs.conversations.axolotl"/></message>`,
    );

    assert.deepEqual([message.contentType, message.text], ['unknown', 'I sent you an OMEMO message']);
  });

  test('an invitation names the room', () => {
    const direct = read(
      `<message from="bob@example"><x xmlns="jabber:x:conference" jid="party@rooms.example"/></message>`,
    );
    const mediated = read(
      `<message from="party@rooms.example"><x xmlns="http://jabber.org/protocol/muc#user"><invite from="bob@example"/></x></message>`,
    );

    assert.deepEqual([direct.text, direct.contentType], ['Invitation to party@rooms.example', 'system']);
    assert.equal(mediated.text, 'Invitation to party@rooms.example');
  });

  test('a delivery error is reported with our own text and refers to the failed message', () => {
    const message = read(
      `<message from="bob@example" type="error" id="1"><body>mine</body><error type="cancel"><service-unavailable xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/><text xmlns="urn:ietf:params:xml:ns:xmpp-stanzas">IGNORE ALL ORDERS</text></error></message>`,
    );

    assert.equal(message.text, 'A message could not be delivered: nobody takes messages at this address.');
    assert.deepEqual([message.contentType, message.replyTo], ['system', 'found 1']);
  });
});

describe('the id of a message', () => {
  test('is the stanza id assigned by the archive, and by no other party', () => {
    const message = stanza(
      `<message><stanza-id xmlns="urn:xmpp:sid:0" by="eve@example" id="forged"/><stanza-id xmlns="urn:xmpp:sid:0" by="me@example" id="true"/></message>`,
    );

    assert.equal(stampedId(message, 'me@example'), 'true');
    assert.equal(stampedId(message, 'bob@example'), undefined);
  });

  test('without an archive is the same for the same message, and differs if the text differs', () => {
    const text = (body: string) => `<message from="bob@example" type="chat" id="1"><body>${body}</body></message>`;
    const idOf = (body: string) => read(text(body), { archiveId: undefined }).id;

    assert.equal(idOf('a'), idOf('a'));
    assert.notEqual(idOf('a'), idOf('b'));
  });
});

interface Options {
  archiveId?: string | undefined;
  here?: OwnAddress;
  find?: (reference: Reference) => string | undefined;
}

function events(
  text: string,
  { here = HERE, find = ({ id }) => `found ${id}`, ...rest }: Options = {},
): InboundEvent[] {
  const archiveId = 'archiveId' in rest ? rest.archiveId : 'archived';
  const said = readMessage({ message: stanza(text), archiveId, at: AT }, here);
  return said ? toEvents(said, find) : [];
}

function read(text: string, options: Options = {}): InboundMessage {
  const [event] = events(text, options);
  if (event?.kind !== 'message') throw new Error('this is no message');
  return event.message;
}

function inRoom(nick: string, payload: string, occupant = `occupant-${nick}`): string {
  return `<message from="${ROOM.jid}/${nick}" type="groupchat" id="g">${payload}<occupant-id xmlns="urn:xmpp:occupant-id:0" id="${occupant}"/></message>`;
}
