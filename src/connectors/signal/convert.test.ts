import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InboundEvent } from '../../domain/chat.ts';
import { type Directory, NOTE_TO_SELF, ownMessage, parseMessageId, revisionIn, toInbound } from './convert.ts';
import { readNotification } from './schema.ts';

const ME = '0a0a0a0a-0000-4000-8000-000000000001';
const BOB = '0b0b0b0b-0000-4000-8000-000000000002';
const CAROL = '0c0c0c0c-0000-4000-8000-000000000003';
const GROUP = 'Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=';
const ABOUT: Directory = {
  self: { number: '+1', uuid: ME },
  nameOf: (uuid) => ({ [CAROL]: 'Carol', [ME]: 'Alice' })[uuid ?? ''],
  groupName: () => undefined,
  uuidOf: (number) => (number === '+3' ? CAROL : undefined),
  firstVersion: (id) => (id === `7-${BOB}` ? `5-${BOB}` : id),
};
const SENDER = { id: BOB, name: 'Bob' };
const DIRECT = { id: BOB, type: 'direct', name: 'Bob' };

describe('a message of Signal', () => {
  test('of a person is in the direct chat with them, with its author and timestamp as identity', () => {
    const events = converted({ dataMessage: { timestamp: 10, message: 'Hello' } });

    assert.deepEqual(events, [
      {
        kind: 'message',
        message: { chat: DIRECT, id: `10-${BOB}`, sender: SENDER, text: 'Hello', contentType: 'text', at: 10 },
      },
    ]);
    assert.deepEqual(parseMessageId(`10-${BOB}`), { author: BOB, timestamp: 10 });
  });

  test('in a group is in the chat of the group', () => {
    const [message] = messages({
      dataMessage: { message: 'Hi', groupInfo: { groupId: GROUP, groupName: 'Team', type: 'DELIVER' } },
    });

    assert.deepEqual(message?.chat, { id: GROUP, type: 'group', name: 'Team' });
  });

  test('that we wrote on another device is our own, in the chat of its recipient', () => {
    const sent = (more: object) =>
      toInbound(received({ sourceUuid: ME, sourceNumber: '+1', syncMessage: { sentMessage: more } }), ABOUT);

    const [toBob] = sent({ destinationUuid: BOB, timestamp: 20, message: 'Yes' });
    const [toSelf] = sent({ destinationUuid: ME, timestamp: 21, message: 'Milk' });
    const [toGroup] = sent({ timestamp: 22, message: 'All', groupInfo: { groupId: GROUP } });

    assert.ok(toBob?.kind === 'message' && toSelf?.kind === 'message' && toGroup?.kind === 'message');
    assert.partialDeepStrictEqual(toBob.message, {
      chat: { id: BOB, type: 'direct' },
      id: `20-${ME}`,
      isOwn: true,
      sender: { id: ME, name: 'Alice' },
    });
    assert.deepEqual(toSelf.message.chat, { id: ME, type: 'direct', name: NOTE_TO_SELF });
    assert.equal(toGroup.message.chat.id, GROUP);
  });

  test('has the names of mentioned people in its text', () => {
    const [message] = messages({
      dataMessage: {
        message: '\ufffc and \ufffc: 👍',
        mentions: [
          { start: 6, length: 1, name: 'bobby', uuid: BOB },
          { start: 0, length: 1, name: '', number: '+3', uuid: CAROL },
        ],
      },
    });

    assert.equal(message?.text, '@Carol and @bobby: 👍');
  });

  test('that quotes another answers it, also one that was edited', () => {
    const replyTo = (quote: object) => messages({ dataMessage: { message: 'Yes', quote } })[0]?.replyTo;

    assert.equal(replyTo({ id: 4, authorUuid: ME }), `4-${ME}`);
    assert.equal(replyTo({ id: 4, authorNumber: '+3' }), `4-${CAROL}`);
    assert.equal(replyTo({ id: 7, authorUuid: BOB }), `5-${BOB}`);
    assert.equal(replyTo({ id: 4 }), undefined);
  });

  test('with files has their metadata, and the caption where there is no text', () => {
    const [message] = messages({
      dataMessage: {
        attachments: [
          { id: 'a/b.jpg', contentType: 'image/jpeg', filename: 'cat.jpg', size: 12, caption: 'a cat' },
          { contentType: 'application/pdf' },
        ],
      },
    });

    assert.deepEqual([message?.text, message?.contentType], ['a cat', 'image']);
    assert.deepEqual(message?.attachments, [
      { type: 'image', name: 'cat.jpg', mime: 'image/jpeg', size: 12, url: `signal:${BOB}/a%2Fb.jpg` },
      { type: 'file', mime: 'application/pdf' },
    ]);
  });

  const OTHERS: Record<string, [object, string, string]> = {
    sticker: [{ sticker: { packId: 'x', stickerId: 1 } }, 'Sticker', 'sticker'],
    poll: [{ pollCreate: { question: 'When?', options: ['now', 'later'] } }, 'Poll: When?\n- now\n- later', 'text'],
    'end of a poll': [{ pollTerminate: { targetSentTimestamp: 3 } }, 'The poll has ended.', 'system'],
    contact: [
      { contacts: [{ name: { given: 'Dan', family: 'D.' }, phone: [{ value: '+4' }] }] },
      'Contact: Dan D., +4',
      'contact',
    ],
    'change of expiry': [
      { isExpirationUpdate: true, expiresInSeconds: 60 },
      'New messages disappear after 60 seconds.',
      'system',
    ],
    payment: [{ payment: { note: 'lunch' } }, 'Sent a payment: lunch', 'system'],
    'pinned message': [
      { pinMessage: { targetAuthorUuid: BOB, targetSentTimestamp: 3 } },
      'Pinned a message.',
      'system',
    ],
    'medium for one view': [{ viewOnce: true }, 'Sent media that can be viewed once, on a phone.', 'unknown'],
    'changed group': [{ groupInfo: { groupId: GROUP, type: 'UPDATE' } }, 'Changed the group.', 'system'],
    'content of a later version': [
      { hologram: {} },
      'Sent something that Switchboard does not know (hologram).',
      'unknown',
    ],
  };
  for (const [what, [content, text, contentType]] of Object.entries(OTHERS)) {
    test(`a ${what} is shown as what it is`, () => {
      const [message] = messages({ dataMessage: content });

      assert.deepEqual([message?.text, message?.contentType], [text, contentType]);
    });
  }

  test('a call and a message that cannot be decrypted are shown', () => {
    const [call] = messages({ callMessage: { offerMessage: { id: 1, type: 'VIDEO_CALL' } } });
    const [broken] = toInbound({ ...received({}), exception: { type: 'InvalidMessageException' } }, ABOUT);

    assert.equal(call?.text, 'Started a video call.');
    assert.ok(broken?.kind === 'message' && /could not be decrypted/.test(broken.message.text));
  });

  test('receipts, typing, profile keys, votes, read marks and the rest of a call are not stored', () => {
    const silent = [
      { receiptMessage: { when: 1, isRead: true, timestamps: [1] } },
      { typingMessage: { action: 'STARTED', timestamp: 1 } },
      { dataMessage: { timestamp: 1, message: null, viewOnce: false } },
      { dataMessage: { pollVote: { targetSentTimestamp: 1 } } },
      { syncMessage: { readMessages: [{ senderUuid: BOB, timestamp: 1 }] } },
      { callMessage: { hangupMessage: { id: 1 } } },
    ];

    assert.deepEqual(silent.flatMap(converted), []);
  });
});

describe('a change of a message of Signal', () => {
  test('an edit refers to the first version, and names the versions', () => {
    const edit = { editMessage: { targetSentTimestamp: 7, dataMessage: { timestamp: 9, message: 'better' } } };

    assert.deepEqual(converted(edit), [
      { kind: 'edit', chat: BOB, message: `5-${BOB}`, text: 'better', at: 9, sender: BOB },
    ]);
    assert.deepEqual(revisionIn(received(edit), ABOUT), { of: `7-${BOB}`, is: `9-${BOB}` });
    assert.equal(revisionIn(received({ dataMessage: { message: 'x' } }), ABOUT), undefined);
  });

  test('a deletion is of the author, one of an admin of any message', () => {
    const own = converted({ dataMessage: { remoteDelete: { timestamp: 3 } } });
    const byAdmin = converted({
      dataMessage: { adminDelete: { targetAuthorUuid: CAROL, targetSentTimestamp: 3 }, groupInfo: { groupId: GROUP } },
    });

    assert.deepEqual(own, [{ kind: 'delete', chat: BOB, message: `3-${BOB}`, at: 10, sender: BOB }]);
    assert.deepEqual(byAdmin, [{ kind: 'delete', chat: GROUP, message: `3-${CAROL}`, at: 10 }]);
  });

  test('a reaction replaces the former one of the person, and can be removed', () => {
    const reaction = { emoji: '👍', targetAuthorUuid: ME, targetSentTimestamp: 3, isRemove: false };

    const signs = [reaction, { ...reaction, isRemove: true }].flatMap((each) =>
      converted({ dataMessage: { reaction: each } }).map((event) => event.kind === 'reactions' && event.signs),
    );

    assert.deepEqual(signs, [['👍'], []]);
  });

  test('a message that we sent is stored as our own', () => {
    const { message } = ownMessage({ chat: { id: GROUP }, text: 'Hi', replyTo: `3-${BOB}` }, 30, ABOUT);

    assert.deepEqual([message.id, message.isOwn, message.replyTo], [`30-${ME}`, true, `3-${BOB}`]);
  });
});

function received(content: object) {
  const envelope = { sourceUuid: BOB, sourceNumber: '+2', sourceName: 'Bob', timestamp: 10, ...content };
  const read = readNotification({ subscription: 0, result: { envelope, account: '+1' } });
  assert.ok(read);
  return read;
}

function converted(content: object): InboundEvent[] {
  return toInbound(received(content), ABOUT);
}

function messages(content: object) {
  return converted(content).flatMap((event) => (event.kind === 'message' ? [event.message] : []));
}
