import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../domain/json.ts';
import { localPrincipal, tokenPrincipal } from '../../domain/principal.ts';
import { mayFollowChat, mayReceive } from './event-access.ts';

const READER = tokenPrincipal('reader', ['chat:read', 'system:read'], { chats: ['ops:#dev', 'telegram:*'] });

describe('who may hear of what happens in a chat', () => {
  test('somebody to whom it is granted', () => {
    const about = (source: string, chatId: string, chat = chatId) =>
      mayReceive(READER, { source, chat_id: chatId, chat, content: 'x' });

    assert.deepEqual([about('ops', '#dev'), about('ops', '7', '#DEV'), about('telegram', 'any')], [true, true, true]);
    assert.deepEqual([about('ops', '#ops'), about('signal', '#dev')], [false, false]);
  });

  test('of what is about a whole source, only somebody to whom all of it is granted', () => {
    assert.equal(mayReceive(READER, { source: 'telegram', count: 5 }), true);
    assert.equal(mayReceive(READER, { source: 'ops', count: 5 }), false);
    assert.equal(mayReceive(READER, {}), false);
    assert.equal(mayReceive(READER, { source: 'ops', chat_id: 7 }), false);
  });

  test('everybody who is confined to nothing', () => {
    for (const principal of [localPrincipal(), tokenPrincipal('t', ['chat:read'])]) {
      assert.equal(mayReceive(principal, { source: 'ops', chat_id: '#ops', chat: 'x' }), true);
      assert.equal(mayReceive(principal, {}), true);
    }
  });

  test('the stream of events tells of chat only who may read it, and of everything else as before', () => {
    const event = (type: string, data: JsonObject = {}) => ({ number: 1, at: '', subject: 's', type, data });
    const watcher = tokenPrincipal('watcher', ['system:read']);
    const dev = { source: 'ops', chat_id: '#dev', chat: '#dev' };
    const other = { source: 'ops', chat_id: '#ops', chat: '#ops' };

    for (const type of ['message.received', 'message.edited', 'message.deleted', 'message.reaction']) {
      assert.equal(mayFollowChat(READER, event(type, dev)), true, type);
      assert.equal(mayFollowChat(READER, event(type, other)), false, type);
      assert.equal(mayFollowChat(watcher, event(type, dev)), false, type);
      assert.equal(mayFollowChat(localPrincipal(), event(type, other)), true, type);
    }
    assert.equal(mayFollowChat(READER, event('messages.imported', { source: 'ops', count: 2 })), false);
    assert.equal(mayFollowChat(watcher, event('session.created')), true);
    assert.equal(mayFollowChat(READER, event('outbox.sent', { source: 'signal' })), true);
  });
});
