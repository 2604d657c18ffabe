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

describe('messages', () => {
  test('in a channel: the server’s id and time, in the chat of that name', () => {
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

  test('to us: in the direct chat with the sender', () => {
    assert.deepEqual(messageOf(said('Alice', 'psst')).chat, {
      id: 'bob',
      name: 'Bob',
      type: 'direct',
      participantCount: 2,
    });
  });

  test('of our own, echoed by the server: in the direct chat with the recipient', () => {
    const line = { ...said('Carol', 'psst'), nick: 'ALICE' };

    const { chat, isOwn } = messageOf(line);

    assert.deepEqual([chat.id, isOwn], ['carol', true]);
  });

  test('of our own under another nickname: recognised by the account', () => {
    assert.equal(messageOf({ ...said('#x', 'me too', { account: 'Alice' }), nick: 'alice_phone' }).isOwn, true);
  });

  test('to members with a certain rank: in the channel', () => {
    assert.equal(chatOf(said('@#team', 'psst'), scope)?.id, '#team');
  });

  test('an action: text that begins with /me', () => {
    assert.equal(messageOf(said('#x', '\x01ACTION waves\x01')).text, '/me waves');
    assert.equal(messageOf(said('#x', '\x01ACTION\x01')).text, '/me ');
  });

  test('formatting codes are removed', () => {
    assert.equal(messageOf(said('#x', '\x02bold\x02 \x0304,12red\x03 5 \x1ditalic\x0f')).text, 'bold red 5 italic');
  });

  test('a reply has the id of the message it replies to', () => {
    assert.equal(messageOf(said('#x', 'yes', { '+draft/reply': 'm0' })).replyTo, 'm0');
    assert.equal(messageOf(said('#x', 'yes', { '+reply': 'm0' })).replyTo, 'm0');
  });

  test('a notice is a message like any other', () => {
    assert.equal(messageOf({ ...said('#x', 'the build is red'), command: 'NOTICE' }).text, 'the build is red');
  });

  test('a file offer is stored with content type unknown', () => {
    const { text, contentType } = messageOf(said('Alice', '\x01DCC SEND x 1 2 3\x01'));

    assert.deepEqual([text, contentType], ['DCC SEND x 1 2 3', 'unknown']);
  });

  test('a topic change is a system message', () => {
    const { text, contentType } = messageOf({ ...said('#x', 'Release day'), command: 'TOPIC' });

    assert.deepEqual([text, contentType], ['changed the topic to: Release day', 'system']);
    assert.equal(messageOf({ ...said('#x', ''), command: 'TOPIC' }).text, 'removed the topic');
  });
});

describe('changes to a message', () => {
  test('a reaction is added and removed', () => {
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

  test('a redaction deletes the message', () => {
    const line = { ...said('#x', 'm1'), command: 'REDACT' };

    assert.deepEqual(toEvent(line, scope), { kind: 'delete', chat: '#x', message: 'm1', at: NOW });
  });
});

describe('lines that are not stored', () => {
  const cases: Record<string, ParsedLine> = {
    'a line of the server': { ...said('Alice', 'welcome'), nick: 'irc.test', fromServer: true },
    'a CTCP request': said('Alice', '\x01VERSION\x01'),
    'a CTCP reply': { ...said('Alice', '\x01VERSION x\x01'), command: 'NOTICE' },
    'a join': { ...said('#x', ''), command: 'JOIN' },
    'a typing notification': { ...said('#x', '', { '+typing': 'active' }), command: 'TAGMSG' },
    'a reaction without a target': { ...said('#x', '', { '+draft/react': '👍' }), command: 'TAGMSG' },
    'a redaction without a target': { ...said('#x', ''), command: 'REDACT', params: ['#x'] },
    'a message without a target': { ...said('', 'x'), params: [] },
  };
  for (const [what, line] of Object.entries(cases)) {
    test(what, () => {
      assert.equal(toEvent(line, scope), undefined);
    });
  }
});

describe('without ids or times from the server', () => {
  test('identical lines with the same timestamp have the same id, different lines different ids', () => {
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

  test('a repeated line with the same timestamp has another id', () => {
    const line = said('#x', 'a');
    const again = toEvent(line, { ...scope, nth: () => 1 });

    assert.notEqual(again?.kind === 'message' && again.message.id, messageOf(line).id);
  });

  test('an invalid timestamp, or one far in the future, is replaced by the current time', () => {
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
