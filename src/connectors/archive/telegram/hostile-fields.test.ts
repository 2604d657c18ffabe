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

describe('hostile fields of an export', () => {
  test('a media type named like an object property is a file', async () => {
    const { messages } = await read({ ...plain, media_type: 'constructor' });

    assert.equal(messages[0]?.contentType, 'file');
  });

  test('a non-numeric account id is ignored', async () => {
    const { messages } = await read(plain, { personal_information: { user_id: { toString: 1, valueOf: 1 } } });

    assert.equal(messages[0]?.isOwn, undefined);
  });

  test('an edit time out of range is ignored', async () => {
    const { messages } = await read({ ...plain, edited_unixtime: 9_000_000_000_000_000 });

    assert.equal(messages[0]?.editedAt, undefined);
  });

  test('empty entities do not hide the text', async () => {
    const { messages } = await read({ ...plain, text_entities: [1, { type: 'plain' }] });

    assert.equal(messages[0]?.text, 'hello');
  });

  test('any number of reactions is converted', async () => {
    const recent = Array.from({ length: 150_000 }, (_, index) => ({ from_id: `user${index}` }));

    const { events } = await read({ ...plain, reactions: [{ type: 'emoji', emoji: '👍', recent }] });

    assert.equal(events.filter(({ kind }) => kind === 'reactions').length, recent.length);
  });
});
