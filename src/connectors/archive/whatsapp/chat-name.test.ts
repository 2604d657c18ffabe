import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ArchiveReader } from '../open-archive.ts';
import { chatNameOf } from './chat-name.ts';

describe('the name of a WhatsApp chat', () => {
  for (const [name, chat] of [
    ['WhatsApp Chat with Alice Smith.txt', 'Alice Smith'],
    ['WhatsApp Chat - Family (2024).txt', 'Family (2024)'],
    ['WhatsApp-Chat mit Alice.txt', 'Alice'],
    ['Chat de WhatsApp con Alice.txt', 'Alice'],
    ['Chat WhatsApp con Alice.txt', 'Alice'],
    ['Discussion WhatsApp avec Alice.txt', 'Alice'],
    ['Conversa do WhatsApp com Alice.txt', 'Alice'],
    ['Чат WhatsApp с контактом Алиса.txt', 'Алиса'],
    ['Alice ile WhatsApp Sohbeti.txt', 'Alice'],
    ['与Alice的WhatsApp聊天.txt', 'Alice'],
    ['WhatsApp Chat with Alice (1).txt', 'Alice'],
    ['notes.txt', 'notes'],
  ] as const) {
    test(name, () => {
      assert.equal(chatNameOf(entry(name), archive('file', `/x/${name}`)), chat);
    });
  }

  test('is the name of the zip or the folder in exports of an iPhone', () => {
    assert.equal(chatNameOf(entry('_chat.txt'), archive('zip', '/x/WhatsApp Chat - Alice.zip')), 'Alice');
    assert.equal(chatNameOf(entry('WhatsApp Chat - Bob/_chat.txt'), archive('folder', '/x/all')), 'Bob');
    assert.equal(chatNameOf(entry('_chat.txt'), archive('file', '/x/WhatsApp Chat - Alice/_chat.txt')), 'Alice');
  });
});

function entry(name: string) {
  return { name, size: 1, async *read() {} };
}

function archive(kind: ArchiveReader['kind'], path: string): ArchiveReader {
  return { kind, path, entries: [], close: async () => {} };
}
