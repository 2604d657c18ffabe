import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { htmlMessage, htmlPage } from '../../../../tests/support/archives/telegram-html.ts';
import { telegram } from './importer.ts';

function json(id: number, text: string): string {
  const message = { id: 1, type: 'message', date_unixtime: '1718280000', from: 'Ada', from_id: 'user5', text };
  return JSON.stringify({ name: `Chat ${id}`, type: 'personal_chat', id, messages: [message] });
}

function page(name: string, id: number, text: string): string {
  return htmlPage(name, [htmlMessage({ id, title: '13.06.2024 15:04:05 UTC+03:00', from: name, text })]);
}

async function read(files: Record<string, string>) {
  const { messages, skipped } = await readOpened(telegram, archiveOf(files));
  return { texts: messages.map(({ chat, text }) => `${chat.id}: ${text}`).sort(), skipped };
}

describe('several exports of Telegram in a folder', () => {
  test('a damaged one does not prevent the others from being read', async () => {
    const { texts, skipped } = await read({
      'a/result.json': json(1, 'one'),
      'b/result.json': 'damaged',
      'c/result.json': json(3, 'three'),
    });

    assert.deepEqual(texts, ['user1: one', 'user3: three']);
    assert.deepEqual(skipped, [{ why: 'malformed', where: 'b/result.json' }]);
  });

  test('do not include other files whose names only begin alike', async () => {
    const { texts, skipped } = await read({
      'result.json': json(1, 'one'),
      'result (1).json': json(2, 'two'),
      'results-of-poll.json': '{}',
    });

    assert.deepEqual([texts, skipped], [['user1: one', 'user2: two'], []]);
  });

  test('of which one ends early by a bracket too many, or is followed by another, are reported', async () => {
    const { texts, skipped } = await read({
      'a/result.json': json(1, 'one').replace('"messages":[', '"messages":[{"id":9,"type":"unsupported"}},'),
      'b/result.json': `${json(2, 'two')}\n${json(3, 'three')}`,
    });

    assert.deepEqual(texts, ['user2: two']);
    assert.deepEqual(
      skipped.filter(({ why }) => why === 'malformed').map(({ where }) => where),
      ['a/result.json:after its end', 'b/result.json:after its end'],
    );
  });

  test('are all read, also under the name of a second download and under other names', async () => {
    const downloads = await read({ 'result.json': json(1, 'one'), 'result (1).json': json(2, 'two') });
    const renamed = await read({
      'ada.json': json(1, 'one'),
      'bob.json': json(2, 'two'),
      'other.json': '{"messages":[1]}',
    });

    assert.deepEqual(downloads.texts, ['user1: one', 'user2: two']);
    assert.deepEqual(renamed.texts, ['user1: one', 'user2: two']);
    assert.deepEqual(renamed.skipped, [{ why: 'not_a_chat', where: 'other.json' }]);
  });

  test('as HTML keep their chats apart, whose folders have the same name', async () => {
    const { texts } = await read({
      'old/chats/chat_1/messages.html': page('Ada', 1, 'one'),
      'new/chats/chat_1/messages.html': page('Bob', 1, 'two'),
    });

    assert.deepEqual(texts, ['Ada: one', 'Bob: two']);
  });

  test('of one chat as HTML are one chat', async () => {
    const { texts } = await read({
      'ChatExport_1/messages.html': page('Ada', 1, 'one'),
      'ChatExport_2/messages.html': page('Ada', 2, 'two'),
    });

    assert.deepEqual(texts, ['Ada: one', 'Ada: two']);
  });

  test('may be JSON and HTML; of one export JSON is read', async () => {
    const { texts } = await read({
      'account/result.json': json(1, 'one'),
      'account/chats/chat_1/messages.html': page('Ada', 1, 'the same as HTML'),
      'ChatExport_1/messages.html': page('Bob', 2, 'two'),
    });

    assert.deepEqual(texts, ['Bob: two', 'user1: one']);
  });

  test('do not have files that somebody sent in a chat among them', async () => {
    const { texts, skipped } = await read({
      'result.json': json(1, 'one'),
      'files/result.json': json(1, 'forged'),
      'chats/chat_1/files/result.json': json(1, 'forged too'),
      'html/messages.html': page('Ada', 1, 'two'),
      'html/files/messages.html': page('Ada', 1, 'forged'),
    });

    assert.deepEqual(texts, ['Ada: two', 'user1: one']);
    assert.deepEqual(skipped.map(({ why, where }) => `${why} ${where}`).sort(), [
      'sent chats/chat_1/files/result.json',
      'sent files/result.json',
      'sent html/files/messages.html',
    ]);
  });
});
