import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tokenPrincipal } from '../../../tests/support/token-principal.ts';
import { localPrincipal } from '../../domain/principal.ts';
import { mayReceive } from './event-access.ts';

const READER = tokenPrincipal('reader', ['chat:read', 'system:read'], { chats: ['ops:#dev', 'telegram:*'] });

describe('access to events of a chat', () => {
  test('is given to a principal with a grant for the chat', () => {
    const about = (source: string, chatId: string, chat = chatId) =>
      mayReceive(READER, { source, chat_id: chatId, chat, content: 'x' });

    assert.deepEqual([about('ops', '#dev'), about('telegram', 'any')], [true, true]);
    assert.deepEqual([about('ops', '#ops'), about('ops', '7', '#dev'), about('signal', '#dev')], [false, false, false]);
  });

  test('of a whole source is given only to a principal with a grant for all of it', () => {
    assert.equal(mayReceive(READER, { source: 'telegram', count: 5 }), true);
    assert.equal(mayReceive(READER, { source: 'ops', count: 5 }), false);
    assert.equal(mayReceive(READER, {}), false);
    assert.equal(mayReceive(READER, { source: 'ops', chat_id: 7 }), false);
  });

  test('is given to a principal without a list of grants', () => {
    for (const principal of [localPrincipal(), tokenPrincipal('t', ['chat:read'])]) {
      assert.equal(mayReceive(principal, { source: 'ops', chat_id: '#ops', chat: 'x' }), true);
      assert.equal(mayReceive(principal, {}), true);
    }
  });
});
