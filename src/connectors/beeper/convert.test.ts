import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Directory, toChat, toInbound } from './convert.ts';
import { bySortKey } from './history.ts';
import { readChat, readLiveEvent, readMessage } from './schema.ts';
import { plainText } from './text.ts';

const CHAT = {
  id: '!team',
  accountID: 'wa',
  title: 'Team',
  type: 'group',
  participants: {
    items: [
      { id: '@bob', fullName: 'Bob' },
      { id: '@me', isSelf: true },
    ],
    total: 2,
  },
};
const AT = Date.parse('2026-03-01T10:00:00Z');

describe('a chat of Beeper', () => {
  test('has the name of its network, from the chat or from its account', () => {
    const names = [CHAT, { ...CHAT, network: 'Signal' }, { ...CHAT, accountID: 'other' }, { ...CHAT, title: '' }].map(
      (each) => chatOf(each).name,
    );

    assert.deepEqual(names, ['Team (WhatsApp)', 'Team (Signal)', 'Team', 'Bob (WhatsApp)']);
    assert.deepEqual(
      ['single', 'group', 'channel', undefined].map((type) => chatOf({ ...CHAT, type }).type),
      ['direct', 'group', 'channel', 'group'],
    );
  });
});

describe('a message of Beeper', () => {
  test('has its sender, chat, text and timestamp', () => {
    const [event] = converted({ text: 'Hi', linkedMessageID: 7 });

    assert.deepEqual(event, {
      kind: 'message',
      message: {
        chat: chatOf(CHAT),
        id: '1',
        sender: { id: '@bob', name: 'Bob' },
        text: 'Hi',
        contentType: 'text',
        at: AT,
        replyTo: '7',
      },
    });
  });

  test('with files has their metadata, with addresses of media only', () => {
    const [event] = converted({
      type: 'IMAGE',
      attachments: [
        { type: 'img', id: 'mxc://x/1', fileName: 'cat.jpg', mimeType: 'image/jpeg', fileSize: 3 },
        { type: 'unknown', srcURL: 'file:///etc/passwd' },
        { type: 'img', isSticker: true, srcURL: 'localmxc://x/2' },
      ],
    });

    assert.ok(event?.kind === 'message');
    assert.equal(event.message.contentType, 'image');
    assert.deepEqual(event.message.attachments, [
      { type: 'image', name: 'cat.jpg', mime: 'image/jpeg', size: 3, url: 'mxc://x/1' },
      { type: 'file' },
      { type: 'sticker', url: 'localmxc://x/2' },
    ]);
  });

  test('that was edited, deleted or reacted to has the events that make it so', () => {
    const reactions = [
      { participantID: '@bob', reactionKey: '👍' },
      { participantID: '@bob', reactionKey: '🎉' },
    ];
    const before = new Set(['@carol']);

    const edited = converted({ text: 'better', editedTimestamp: '2026-03-01T11:00:00Z', reactions }, before);
    const deleted = converted({ isDeleted: true });

    assert.deepEqual(
      edited.map((event) => [event.kind, 'text' in event ? event.text : 'signs' in event ? event.signs : undefined]),
      [
        ['message', undefined],
        ['edit', 'better'],
        ['reactions', ['👍', '🎉']],
        ['reactions', []],
      ],
    );
    assert.deepEqual(deleted, [{ kind: 'delete', chat: '!team', message: '1', at: AT }]);
  });

  test('that is hidden, a reaction, or not sent yet is not stored', () => {
    const silent = [{ isHidden: true }, { type: 'REACTION' }, { sendStatus: { status: 'PENDING' } }];

    assert.deepEqual(
      silent.flatMap((each) => converted(each)),
      [],
    );
  });

  test('of an unknown type is shown by its type', () => {
    const [event] = converted({ type: 'HOLOGRAM' });

    assert.ok(event?.kind === 'message');
    assert.deepEqual(
      [event.message.text, event.message.contentType],
      ['Sent something that Switchboard does not know (HOLOGRAM).', 'unknown'],
    );
  });

  test('any content is read as a message or not at all', () => {
    const fields = [
      'text',
      'type',
      'attachments',
      'reactions',
      'timestamp',
      'sendStatus',
      'senderName',
      'sortKey',
      'id',
    ];

    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()), (more) => {
        const message = readMessage({ id: '1', chatID: '!team', senderID: '@bob', sortKey: '1', ...more });
        for (const event of message ? toInbound(message, about()) : []) {
          if (event.kind === 'message') assert.ok(Number.isSafeInteger(event.message.at) && event.message.id !== '');
        }
        readLiveEvent({ type: 'message.upserted', ...more });
      }),
    );
  });

  test('sort keys are ordered as numbers of any length, else as texts', () => {
    const sorted = (keys: string[]) =>
      keys
        .map((sortKey) => readMessage({ id: '1', chatID: '!', senderID: '@', sortKey }))
        .flatMap((each) => each ?? [])
        .toSorted(bySortKey)
        .map(({ sortKey }) => sortKey);

    assert.deepEqual(sorted(['10', '9', '18446744073709551616']), ['9', '10', '18446744073709551616']);
    assert.deepEqual(sorted(['b', 'a']), ['a', 'b']);
  });
});

describe('the text of a message of Beeper', () => {
  test('is plain, unless all of its markup is that of formatted messages', () => {
    assert.equal(plainText('<p>One <strong>bold</strong><br>two</p>'), 'One bold\ntwo');
    for (const text of [
      'a < b > c',
      '<b>x</b>',
      '<p>open',
      '</p>',
      'if (a<b) <code>',
      '<!-- x --><p>y</p>',
      'List<p>',
    ]) {
      assert.equal(plainText(text), text);
    }
  });

  test('without a tag is unchanged', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('<')),
        (text) => {
          assert.equal(plainText(text), text);
        },
      ),
    );
  });
});

function about(before: ReadonlySet<string> = new Set()): Directory {
  return {
    chat: () => readChat(CHAT),
    network: (account) => (account === 'wa' ? 'WhatsApp' : undefined),
    reacted: () => before,
  };
}

function chatOf(chat: object) {
  const read = readChat(chat);
  assert.ok(read);
  return toChat(read, about());
}

function converted(more: object, before?: ReadonlySet<string>) {
  const message = readMessage({
    id: 1,
    chatID: '!team',
    senderID: '@bob',
    sortKey: 5,
    timestamp: '2026-03-01T10:00:00Z',
    ...more,
  });
  assert.ok(message);
  return toInbound(message, about(before));
}
