import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { InboundEvent, InboundMessage } from '../../domain/chat.ts';
import { ENCRYPTED } from './content.ts';
import { type ReactionEvent, toInbound } from './convert.ts';
import { readEvents } from './schema.ts';

const ROOM = '!room:example.org';
const ME = '@me:example.org';
const ALICE = '@alice:example.org';
const AT = Date.UTC(2026, 2, 1);

describe('a message', () => {
  test('has its sender, its room, its time and its text', () => {
    const message = messageOf({ msgtype: 'm.text', body: 'hello' });

    assert.deepEqual(message, {
      chat: { id: ROOM },
      id: '$1',
      sender: { id: ALICE, name: 'Alice' },
      text: 'hello',
      contentType: 'text',
      at: AT,
    });
  });

  test('of an unknown member has the user id as name', () => {
    const [event] = inbound([{ ...plain(), sender: '@bob:example.org' }]);

    assert.deepEqual(sentMessage(event).sender, { id: '@bob:example.org', name: '@bob:example.org' });
  });

  test('of our own user is marked as own', () => {
    const [event] = inbound([{ ...plain(), sender: ME }]);

    assert.equal(sentMessage(event).isOwn, true);
  });

  test('of type notice or emote is text', () => {
    assert.equal(messageOf({ msgtype: 'm.notice', body: 'built' }).text, 'built');
    assert.equal(messageOf({ msgtype: 'm.emote', body: 'waves' }).text, '/me waves');
  });

  test('of an unknown type has its text', () => {
    const message = messageOf({ msgtype: 'org.example.dance', body: 'a dance' });

    assert.equal(message.text, 'a dance');
    assert.equal(message.contentType, 'unknown');
  });

  test('without any text is stored', () => {
    const message = messageOf({ msgtype: 7, body: ['?'] });

    assert.equal(message.contentType, 'unknown');
    assert.notEqual(message.text, '');
  });

  test('that is encrypted has a placeholder text', () => {
    const [event] = inbound([
      { ...plain(), type: 'm.room.encrypted', content: { algorithm: 'm.megolm.v1', ciphertext: 'x' } },
    ]);

    assert.equal(sentMessage(event).text, ENCRYPTED);
    assert.equal(sentMessage(event).contentType, 'unknown');
  });

  test('of an unknown event type has its fallback text, or its type', () => {
    const [poll, bare, hostile] = inbound([
      { ...plain(), type: 'org.example.poll', content: { body: 'Lunch? 1. Soup 2. Bread' } },
      { ...plain(), type: 'org.example.hologram', content: { depth: 3 } },
      { ...plain(), type: 'x\n[deleted] y', content: {} },
    ]);

    assert.equal(sentMessage(poll).text, 'Lunch? 1. Soup 2. Bread');
    assert.equal(sentMessage(bare).text, '[an event of the kind org.example.hologram, which has no text]');
    assert.equal(sentMessage(hostile).text, '[an event of the kind unknown, which has no text]');
    assert.equal(sentMessage(bare).contentType, 'unknown');
  });

  test('is not made of what is only about another event', () => {
    const about = { 'm.relates_to': { rel_type: 'm.reference', event_id: '$poll' } };

    const events = ['org.example.vote', 'm.poll.response', 'm.beacon', 'm.call.candidates', 'm.call.hangup'].map(
      (type) => ({ ...plain(), type, content: about }),
    );

    assert.deepEqual(inbound(events), []);
  });
});

describe('a file', () => {
  const content = {
    msgtype: 'm.image',
    body: 'cat.png',
    url: 'mxc://example.org/cat',
    info: { mimetype: 'image/png', size: 7 },
  };

  test('is an attachment with name, type and size, without text', () => {
    const { text, contentType, attachments } = messageOf(content);

    assert.equal(text, '');
    assert.equal(contentType, 'image');
    assert.deepEqual(attachments, [
      { type: 'image', name: 'cat.png', mime: 'image/png', size: 7, url: 'mxc://example.org/cat' },
    ]);
  });

  test('with a caption has the caption as its text', () => {
    const { text, attachments } = messageOf({ ...content, body: 'my cat', filename: 'cat.png' });

    assert.equal(text, 'my cat');
    assert.equal(attachments?.[0]?.name, 'cat.png');
  });

  test('can be a video, audio, any file or a sticker', () => {
    const kinds = ['m.video', 'm.audio', 'm.file'].map((msgtype) => messageOf({ ...content, msgtype }).contentType);
    const [sticker] = inbound([
      { ...plain(), type: 'm.sticker', content: { body: 'a cat', url: 'mxc://example.org/s' } },
    ]);

    assert.deepEqual(kinds, ['video', 'audio', 'file']);
    assert.equal(sentMessage(sticker).contentType, 'sticker');
    assert.equal(sentMessage(sticker).text, 'a cat');
  });

  test('that is encrypted has its URL', () => {
    const { attachments } = messageOf({
      msgtype: 'm.file',
      body: 'plan.pdf',
      file: { url: 'mxc://example.org/sealed' },
    });

    assert.equal(attachments?.[0]?.url, 'mxc://example.org/sealed');
  });

  test('a location has its coordinates', () => {
    const { text, contentType, attachments } = messageOf({
      msgtype: 'm.location',
      body: 'here',
      geo_uri: 'geo:51.5,-0.1',
    });

    assert.deepEqual([text, contentType], ['here', 'location']);
    assert.deepEqual(attachments, [{ type: 'location', url: 'geo:51.5,-0.1' }]);
  });
});

describe('a reply', () => {
  const relation = { 'm.in_reply_to': { event_id: '$0' } };

  test('has the id of the message it replies to, without the quotation of older clients', () => {
    const body = '> <@bob:example.org> first line\n> second line\n\nI think so\n> not quoted';

    const message = messageOf({ msgtype: 'm.text', body, 'm.relates_to': relation });

    assert.equal(message.replyTo, '$0');
    assert.equal(message.text, 'I think so\n> not quoted');
  });

  test('retains a quotation that the sender wrote', () => {
    const body = '> to be or not to be\n\nthat is it';

    assert.equal(messageOf({ msgtype: 'm.text', body, 'm.relates_to': relation }).text, body);
  });

  test('in a thread refers to the thread’s first message, unless it replies to a certain message', () => {
    const thread = { rel_type: 'm.thread', event_id: '$root', ...relation };

    assert.equal(answers({ ...thread, is_falling_back: true }), '$root');
    assert.equal(answers({ ...thread, is_falling_back: false }), '$0');
    assert.equal(answers({ rel_type: 'm.thread', event_id: '$root' }), '$root');
  });

  function answers(relates: object): string | undefined {
    return messageOf({ msgtype: 'm.text', body: 'x', 'm.relates_to': relates }).replyTo;
  }
});

describe('changes to a message', () => {
  const replaces = { rel_type: 'm.replace', event_id: '$0' };

  test('an edit has the new text and its sender', () => {
    const content = {
      msgtype: 'm.text',
      body: '* new',
      'm.new_content': { msgtype: 'm.text', body: 'new' },
      'm.relates_to': replaces,
    };

    assert.deepEqual(inbound([{ ...plain(), content }]), [
      { kind: 'edit', chat: ROOM, message: '$0', text: 'new', at: AT, sender: ALICE },
    ]);
  });

  test('an edit without new content is read from the fallback text', () => {
    const [event] = inbound([{ ...plain(), content: { msgtype: 'm.text', body: '* new', 'm.relates_to': replaces } }]);

    assert.equal(event?.kind === 'edit' && event.text, 'new');
  });

  test('an encrypted edit is ignored', () => {
    assert.deepEqual(inbound([{ ...plain(), type: 'm.room.encrypted', content: { 'm.relates_to': replaces } }]), []);
  });

  test('a redaction deletes, in every room version', () => {
    const wanted = [{ kind: 'delete', chat: ROOM, message: '$0', at: AT }];

    assert.deepEqual(inbound([{ ...plain(), type: 'm.room.redaction', content: {}, redacts: '$0' }]), wanted);
    assert.deepEqual(inbound([{ ...plain(), type: 'm.room.redaction', content: { redacts: '$0' } }]), wanted);
  });

  test('a message redacted before it was seen is deleted, not empty', () => {
    const unsigned = { redacted_because: { origin_server_ts: AT + 5 } };

    assert.deepEqual(inbound([{ ...plain(), content: {}, unsigned }]), [
      { kind: 'delete', chat: ROOM, message: '$1', at: AT + 5 },
    ]);
    assert.deepEqual(inbound([{ ...plain(), type: 'm.reaction', content: {}, unsigned }]), []);
  });

  test('a reaction is one sign, and its redaction removes it', () => {
    const content = { 'm.relates_to': { rel_type: 'm.annotation', event_id: '$0', key: '👍' } };
    const [event] = inbound([{ ...plain(), type: 'm.reaction', content }]);
    const known = event as ReactionEvent;

    const [back] = inbound([{ ...plain(), type: 'm.room.redaction', redacts: '$r' }], { $r: known });

    assert.deepEqual(known, {
      kind: 'reaction',
      chat: ROOM,
      message: '$0',
      sender: { id: ALICE, name: 'Alice' },
      sign: '👍',
      at: AT,
    });
    assert.deepEqual(back, { ...known, removed: true });
  });
});

describe('hostile events', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const content = fc.record(
    {
      msgtype: fc.oneof(fc.constantFrom('m.text', 'm.image', 'm.location', '__proto__', 'constructor'), json),
      body: fc.oneof(fc.string({ unit: 'binary' }), json),
      filename: json,
      info: json,
      file: json,
      geo_uri: json,
      'm.new_content': json,
      'm.relates_to': fc.oneof(
        json,
        fc.record({
          rel_type: fc.constantFrom('m.replace', 'm.annotation', 'm.thread'),
          event_id: json,
          key: json,
          'm.in_reply_to': json,
        }),
      ),
    },
    { requiredKeys: [] },
  );
  const event = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom('m.room.message', 'm.reaction', 'm.room.redaction', 'm.room.encrypted', 'm.sticker', 'x.y'),
        json,
      ),
      event_id: fc.oneof(fc.constant('$1'), json),
      sender: fc.oneof(fc.constant(ALICE), json),
      origin_server_ts: fc.oneof(fc.double({ noNaN: true }), json),
      content: fc.oneof(content, json),
      unsigned: json,
      redacts: json,
      state_key: json,
    },
    { requiredKeys: [] },
  );

  test('never throw, and produce only valid events', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, json)), (events) => {
        for (const one of inbound(events)) assertShape(one);
      }),
    );
  });

  test('never cause the loss of a valid message among them', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, json)), fc.string({ unit: 'binary' }), (events, body) => {
        const good = { ...plain(), event_id: '$good', content: { msgtype: 'm.text', body } };

        const found = inbound([...events, good, ...events]).filter(
          (one) => one.kind === 'message' && one.message.id === '$good',
        );

        assert.deepEqual(
          found.map((one) => sentMessage(one).text),
          [body],
        );
      }),
    );
  });

  function assertShape(one: InboundEvent): void {
    if (one.kind === 'message') {
      const { id, sender, text, at } = one.message;
      assert.ok([id, sender.id, sender.name, text].every((value) => typeof value === 'string'));
      assert.ok(Number.isSafeInteger(at) && at >= 0 && !Number.isNaN(new Date(at).getTime()));
    } else if (one.kind === 'edit') assert.equal(typeof one.text, 'string');
    else if (one.kind === 'reaction') assert.equal(typeof one.sign, 'string');
    else assert.equal(one.kind, 'delete');
  }
});

function plain() {
  return {
    type: 'm.room.message',
    event_id: '$1',
    sender: ALICE,
    origin_server_ts: AT,
    content: { msgtype: 'm.text', body: 'x' } as object,
  };
}

function inbound(events: readonly unknown[], reactions: Record<string, ReactionEvent> = {}): InboundEvent[] {
  const names: Record<string, string> = { [ALICE]: 'Alice' };
  const surroundings = {
    room: ROOM,
    me: ME,
    displayName: (user: string) => (Object.hasOwn(names, user) ? names[user] : undefined),
    reaction: (id: string) => (Object.hasOwn(reactions, id) ? reactions[id] : undefined),
  };
  return readEvents(events).flatMap((event) => toInbound(event, surroundings) ?? []);
}

function messageOf(content: object): InboundMessage {
  return sentMessage(inbound([{ ...plain(), content }])[0]);
}

function sentMessage(event: InboundEvent | undefined): InboundMessage {
  assert.ok(event?.kind === 'message');
  return event.message;
}
