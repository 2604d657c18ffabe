import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ParsedStanza } from './convert.ts';
import { createReferences } from './references.ts';

describe('references between messages', () => {
  test('a message is found by its sender’s id, only for the same sender', () => {
    const references = createReferences();

    references.note(message('bob', '1', 'archived-1'));

    assert.equal(references.find('chat', { by: 'sender', id: '1', senders: ['bob'] }), 'archived-1');
    assert.equal(references.find('chat', { by: 'sender', id: '1', senders: ['eve'] }), undefined);
    assert.equal(references.find('other', { by: 'sender', id: '1', senders: ['bob'] }), undefined);
    assert.equal(references.find('chat', { by: 'sender', id: '1', senders: [] }), 'archived-1');
    assert.equal(references.find('chat', { by: 'archive', id: 'x' }), 'x');
    assert.equal(references.nameOf('chat', 'archived-1'), '1');
  });

  test('a correction of a correction refers to the first message', () => {
    const references = createReferences();
    references.note(message('bob', '1', 'archived-1'));

    references.note({
      ...message('bob', '2', 'archived-2'),
      what: { kind: 'edit', text: '', target: { by: 'sender', id: '1', senders: ['bob'] } },
    });

    assert.equal(references.find('chat', { by: 'sender', id: '2', senders: ['bob'] }), 'archived-1');
  });

  test('the least recently seen entry is removed first', () => {
    const references = createReferences(4);

    for (const id of ['1', '2', '3']) references.note(message('bob', id, `archived-${id}`));

    const found = ['1', '2', '3'].map((id) => references.find('chat', { by: 'sender', id, senders: ['bob'] }));
    assert.deepEqual(found, [undefined, 'archived-2', 'archived-3']);
  });
});

function message(sender: string, name: string, id: string): ParsedStanza {
  return {
    chat: { id: 'chat' },
    sender: { id: sender, name: sender },
    isOwn: false,
    id,
    archiveId: id,
    senderIds: [name],
    at: 0,
    what: { kind: 'message', text: '', contentType: 'text', attachments: [] },
  };
}
