import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fetchedMail } from '../../../tests/support/email/mail-samples.ts';
import { toStore } from './identity.ts';

const OWN = ['me@example.test', '*@my.test'];
const identity = (...given: Parameters<typeof fetchedMail>) => toStore(fetchedMail(...given), 'inbox', OWN).identity;

describe('an email to store', () => {
  test('is the same one in every folder, whatever servers added to it', () => {
    const inInbox = identity(1, { size: 900, flags: [], receivedAt: 5, email: { rfcMessageId: 'a@b', date: 3 } });
    const inArchive = identity(1, {
      size: 950,
      flags: ['\\Seen'],
      receivedAt: 9,
      email: { rfcMessageId: 'a@b', date: 3 },
    });

    assert.equal(inArchive, inInbox);
  });

  test('is another one if another person wrote something under the same Message-ID', () => {
    const email = { rfcMessageId: 'a@b', date: 3 };
    const other = [{ name: '', address: 'eve@evil.test' }];
    const others = [
      { email: { ...email, subject: 'Other' } },
      ...(['from', 'replyTo', 'to', 'cc', 'bcc'] as const).map((field) => ({ email: { ...email, [field]: other } })),
      { email, contentHash: 'another text, or other files' },
    ];

    const identities = [{ email }, ...others].map((each) => identity(1, each));

    assert.equal(new Set(identities).size, 1 + others.length);
  });

  test('is the same one however much of it was fetched', () => {
    const file = { part: '2', mime: 'x/y', type: 'file' as const, isInline: false };
    const fetched = [
      { text: 'Hello', attachments: [{ ...file, size: 3 }] },
      { text: 'Hel', attachments: [file], problems: ['It is cut.'] },
    ];

    const identities = fetched.map((email) => identity(1, { email, contentHash: 'same' }));

    assert.equal(new Set(identities).size, 1);
  });

  test('is the user’s own only among the sent ones and drafts, because anyone can write the address of the user', () => {
    const mine = fetchedMail(1, { email: { from: [{ name: '', address: 'x@my.test' }] } });
    const foreign = fetchedMail(2, { email: { from: [{ name: '', address: 'eve@evil.test' }] } });

    const roles = ['inbox', undefined, 'archive', 'sent', 'drafts'] as const;

    assert.deepEqual(
      roles.map((role) => toStore(mine, role, OWN).isOwn),
      [false, false, false, true, true],
    );
    assert.equal(toStore(foreign, 'sent', OWN).isOwn, false);
  });

  test('has the date of its sender, unless that is missing or in the future', () => {
    const at = (date: number | undefined) =>
      toStore({ ...fetchedMail(1), receivedAt: 10_000_000, email: emailWith(date) }, 'inbox', OWN).at;

    assert.deepEqual([at(5), at(10_000_001), at(99_000_000), at(undefined)], [5, 10_000_001, 10_000_000, 10_000_000]);
  });

  test('keeps the identity that another thread has determined', () => {
    assert.equal(toStore({ ...fetchedMail(1), identity: 'known' }, 'inbox', OWN).identity, 'known');
  });
});

function emailWith(date: number | undefined) {
  const { date: _, ...email } = fetchedMail(1).email;
  return date === undefined ? email : { ...email, date };
}
