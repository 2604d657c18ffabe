import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { telegram } from './importer.ts';

const plain = { id: 5, type: 'message', date_unixtime: '1718280245', from: 'Ada', from_id: 'user7', text: 'hello' };

function read(message: object, account: object = {}) {
  const chats = { list: [{ name: 'Ada', type: 'personal_chat', id: 7, messages: [message] }] };
  return readOpened(telegram, archiveOf({ 'result.json': JSON.stringify({ ...account, chats }) }, { chunk: 65_536 }));
}

describe('fields of an export that were made to do harm', () => {
  test('a kind of file that every object has is a file', async () => {
    const { messages } = await read({ ...plain, media_type: 'constructor' });

    assert.equal(messages[0]?.contentType, 'file');
  });

  test('an account that is no number is nobody', async () => {
    const { messages } = await read(plain, { personal_information: { user_id: { toString: 1, valueOf: 1 } } });

    assert.equal(messages[0]?.isOwn, undefined);
  });

  test('an edit from after the end of time is none', async () => {
    const { messages } = await read({ ...plain, edited_unixtime: 9_000_000_000_000_000 });

    assert.equal(messages[0]?.editedAt, undefined);
  });

  test('entities that say nothing do not hide the text', async () => {
    const { messages } = await read({ ...plain, text_entities: [1, { type: 'plain' }] });

    assert.equal(messages[0]?.text, 'hello');
  });

  test('more reactions than a function takes arguments are all there', async () => {
    const recent = Array.from({ length: 150_000 }, (_, index) => ({ from_id: `user${index}` }));

    const { events } = await read({ ...plain, reactions: [{ type: 'emoji', emoji: '👍', recent }] });

    assert.equal(events.filter(({ kind }) => kind === 'reactions').length, recent.length);
  });
});
