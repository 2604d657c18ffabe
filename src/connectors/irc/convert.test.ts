import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldingOf } from './casemapping.ts';
import { type ChannelContext, chatOf, toEvent } from './convert.ts';
import type { ParsedLine } from './line.ts';

const NOW = Date.UTC(2030, 0, 1);
const scope: ChannelContext = {
  nick: 'Alice',
  account: 'alice',
  fold: foldingOf('ascii'),
  channelTypes: '#',
  statusPrefixes: '@+',
  now: NOW,
  participants: () => 7,
  nth: () => 0,
};

describe('what people say', () => {
  test('in a channel: a message with the server’s id and time, in the chat of that name', () => {
    const line = said('#Team', 'hello', { msgid: 'm1', time: '2029-12-31T23:59:59.123Z', account: 'bobby' });

    assert.deepEqual(toEvent(line, scope), {
      kind: 'message',
      message: {
        chat: { id: '#team', name: '#Team', type: 'channel', participantCount: 7 },
        id: 'm1',
        sender: { id: 'bobby', name: 'Bob' },
        text: 'hello',
        at: Date.UTC(2029, 11, 31, 23, 59, 59, 123),
      },
    });
  });

  test('to us: in the chat with the one who says it', () => {
    assert.deepEqual(messageOf(said('Alice', 'psst')).chat, {
      id: 'bob',
      name: 'Bob',
      type: 'direct',
      participantCount: 2,
    });
  });

  test('by us, repeated by the server: in the chat with the one it was said to', () => {
    const line = { ...said('Carol', 'psst'), nick: 'ALICE' };

    const { chat, isOwn } = messageOf(line);

    assert.deepEqual([chat.id, isOwn], ['carol', true]);
  });

  test('by us under another nickname: known by the account', () => {
    assert.equal(messageOf({ ...said('#x', 'me too', { account: 'Alice' }), nick: 'alice_phone' }).isOwn, true);
  });

  test('to those of a rank in a channel: in the channel', () => {
    assert.equal(chatOf(said('@#team', 'psst'), scope)?.id, '#team');
  });

  test('as an action: as people write it', () => {
    assert.equal(messageOf(said('#x', '\x01ACTION waves\x01')).text, '/me waves');
    assert.equal(messageOf(said('#x', '\x01ACTION\x01')).text, '/me ');
  });

  test('with bold and colours: without them', () => {
    assert.equal(messageOf(said('#x', '\x02bold\x02 \x0304,12red\x03 5 \x1ditalic\x0f')).text, 'bold red 5 italic');
  });

  test('in answer to something: with its id', () => {
    assert.equal(messageOf(said('#x', 'yes', { '+draft/reply': 'm0' })).replyTo, 'm0');
    assert.equal(messageOf(said('#x', 'yes', { '+reply': 'm0' })).replyTo, 'm0');
  });

  test('as a notice: like any other message', () => {
    assert.equal(messageOf({ ...said('#x', 'the build is red'), command: 'NOTICE' }).text, 'the build is red');
  });

  test('a file that is offered: kept as something we have no words for', () => {
    const { text, contentType } = messageOf(said('Alice', '\x01DCC SEND x 1 2 3\x01'));

    assert.deepEqual([text, contentType], ['DCC SEND x 1 2 3', 'unknown']);
  });

  test('a new topic: said by the network', () => {
    const { text, contentType } = messageOf({ ...said('#x', 'Release day'), command: 'TOPIC' });

    assert.deepEqual([text, contentType], ['changed the topic to: Release day', 'system']);
    assert.equal(messageOf({ ...said('#x', ''), command: 'TOPIC' }).text, 'removed the topic');
  });
});

describe('what changes a message', () => {
  test('a reaction, given and taken back', () => {
    const given = { ...said('#x', '', { '+draft/react': '👍', '+draft/reply': 'm1' }), command: 'TAGMSG' };
    const taken = { ...said('#x', '', { '+draft/unreact': '👍', '+draft/reply': 'm1' }), command: 'TAGMSG' };
    const shared = {
      kind: 'reaction',
      chat: '#x',
      message: 'm1',
      sender: { id: 'bob', name: 'Bob' },
      sign: '👍',
      at: NOW,
    };

    assert.deepEqual(toEvent(given, scope), shared);
    assert.deepEqual(toEvent(taken, scope), { ...shared, removed: true });
  });

  test('a deletion, which the server has allowed', () => {
    const line = { ...said('#x', 'm1'), command: 'REDACT' };

    assert.deepEqual(toEvent(line, scope), { kind: 'delete', chat: '#x', message: 'm1', at: NOW });
  });
});

describe('what is not kept', () => {
  const cases: Record<string, ParsedLine> = {
    'what the server says': { ...said('Alice', 'welcome'), nick: 'irc.test', fromServer: true },
    'what programs ask each other': said('Alice', '\x01VERSION\x01'),
    'what they answer': { ...said('Alice', '\x01VERSION x\x01'), command: 'NOTICE' },
    'who comes': { ...said('#x', ''), command: 'JOIN' },
    'who writes at this moment': { ...said('#x', '', { '+typing': 'active' }), command: 'TAGMSG' },
    'a reaction to nothing': { ...said('#x', '', { '+draft/react': '👍' }), command: 'TAGMSG' },
    'a deletion of nothing': { ...said('#x', ''), command: 'REDACT', params: ['#x'] },
    'what has no place': { ...said('', 'x'), params: [] },
  };
  for (const [what, line] of Object.entries(cases)) {
    test(what, () => {
      assert.equal(toEvent(line, scope), undefined);
    });
  }
});

describe('where the server gives no ids or times', () => {
  test('the same line of the same moment has the same id, and what differs has another', () => {
    const time = '2029-12-31T00:00:00.000Z';
    const ids = [
      said('#x', 'a', { time }),
      said('#x', 'a', { time }),
      said('#x', 'b', { time }),
      said('#y', 'a', { time }),
      said('#x', 'a', { time: '2029-12-31T00:00:00.001Z' }),
    ].map((line) => messageOf(line).id);

    assert.equal(ids[0], ids[1]);
    assert.equal(new Set(ids).size, 4);
  });

  test('the same said again in that moment has another id', () => {
    const line = said('#x', 'a');
    const again = toEvent(line, { ...scope, nth: () => 1 });

    assert.notEqual(again?.kind === 'message' && again.message.id, messageOf(line).id);
  });

  test('a time that is none, or far ahead, is now', () => {
    for (const time of ['', 'yesterday', '-1', '9999-01-01T00:00:00.000Z']) {
      assert.equal(messageOf(said('#x', 'a', { time })).at, NOW);
    }
  });
});

function said(target: string, text: string, tags: ParsedLine['tags'] = {}): ParsedLine {
  return { tags, nick: 'Bob', prefix: 'Bob!b@host', fromServer: false, command: 'PRIVMSG', params: [target, text] };
}

function messageOf(line: ParsedLine) {
  const event = toEvent(line, scope);
  assert.equal(event?.kind, 'message');
  return event.message;
}
