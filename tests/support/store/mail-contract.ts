import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { FolderChangedError, type StoredFolder } from '../../../src/email/ports.ts';
import { createEmailIndexer } from '../../../src/storage/sqlite/email/index-email.ts';
import { mailToStore } from '../email/mail-samples.ts';
import type { Store } from './open-store.ts';

const remote = (path: string, role?: StoredFolder['role']) => ({
  path,
  names: [path],
  isSelectable: true,
  ...(role ? { role } : {}),
});

/** What every database must do with emails. */
export function mailContract(store: () => Store): void {
  const mail = () => store().email.mail;
  const messages = () => store().messages;
  let inbox = 0;
  let trash = 0;
  let other = 0;

  beforeEach(async () => {
    const folders = await mail().saveFolders('work', [
      remote('Trash', 'trash'),
      remote('Other'),
      remote('INBOX', 'inbox'),
    ]);
    [inbox, other, trash] = folders.map(({ key }) => key) as [number, number, number];
  });

  const record = (folder: number, ...mails: ReturnType<typeof mailToStore>[]) =>
    mail().record({ account: 'work', folder, mails, origin: 'newer' });
  const found = async (text: string) =>
    (await messages().find({ sources: ['work'], text: { kind: 'words', text } }, { limit: 10 })).messages.map(
      ({ text: content }) => content,
    );

  test('folders are listed with the inbox first and the trash last, and follow the server', async () => {
    const before = await mail().folders('work');

    const after = await mail().saveFolders('work', [remote('INBOX', 'inbox'), remote('New', 'archive')]);

    assert.deepEqual(
      [before, after].map((list) => list.map(({ path }) => path)),
      [
        ['INBOX', 'Other', 'Trash'],
        ['INBOX', 'New'],
      ],
    );
    assert.equal(after[0]?.key, inbox);
  });

  test('an email is a message of its conversation and keeps what only emails have', async () => {
    const given = mailToStore(7, {
      flags: ['\\Seen', 'work'],
      email: {
        subject: 'Re: Plan',
        inReplyTo: 'm1@example.test',
        references: ['m1@example.test'],
        replyTo: [{ name: 'List', address: 'list@example.test' }],
        attachments: [{ part: '2', name: 'plan.pdf', mime: 'application/pdf', type: 'file', size: 9, isInline: false }],
      },
    });

    const { added, ids } = await record(inbox, given);

    const [id = ''] = ids;
    const [stored] = await mail().byIds([id]);
    const message = await messages().byId(id);
    assert.equal(added, 1);
    assert.deepEqual(stored, {
      id,
      account: 'work',
      rfcMessageId: 'm7@example.test',
      inReplyTo: 'm1@example.test',
      references: ['m1@example.test'],
      replyTo: [{ name: 'List', address: 'list@example.test' }],
      bcc: [],
      flags: ['\\Seen', 'work'],
      isSeen: true,
      isFlagged: false,
      attachments: given.email.attachments,
      isAutomatic: false,
      problems: [],
      size: 1_000,
      receivedAt: given.receivedAt,
      locations: [{ folder: inbox, path: 'INBOX', role: 'inbox', uid: 7 }],
    });
    assert.deepEqual(message?.mail?.subject, 'Re: Plan');
    assert.deepEqual([message?.chat.name, message?.chat.type], ['Plan', 'thread']);
  });

  test('subject, sender and text are found as words', async () => {
    await record(inbox, mailToStore(1, { email: { subject: 'Invoice', text: 'Please pay.' } }));

    const hits = [await found('invoice'), await found('ann'), await found('pay'), await found('nothing')];

    assert.deepEqual(hits, [['Please pay.'], ['Please pay.'], ['Please pay.'], []]);
  });

  test('copies of one email in several folders are one message', async () => {
    const first = await record(inbox, mailToStore(1));
    const second = await record(other, { ...mailToStore(1), uid: 50, flags: ['\\Flagged'] });

    const [stored] = await mail().byIds(first.ids);

    assert.deepEqual([second.added, second.ids], [0, first.ids]);
    assert.deepEqual(stored?.locations.map(({ path, uid }) => [path, uid]).sort(), [
      ['INBOX', 1],
      ['Other', 50],
    ]);
    assert.equal(stored?.isFlagged, true);
  });

  test('another email with the same Message-ID is another message', async () => {
    await record(inbox, mailToStore(1, { email: { text: 'The real one.' } }));
    const { added } = await record(inbox, {
      ...mailToStore(1, { email: { text: 'The forged one.' } }),
      uid: 2,
    });

    assert.equal(added, 1);
    assert.deepEqual(await found('one'), ['The forged one.', 'The real one.']);
  });

  test('replies are in one conversation in whatever order they arrive, also without References', async () => {
    const answer = mailToStore(3, { email: { inReplyTo: 'm2@example.test', subject: 'Re: Start' } });
    const middle = mailToStore(2, { email: { inReplyTo: 'm1@example.test', subject: 'Re: Start' } });
    const first = mailToStore(1, { email: { subject: 'Start' } });

    for (const each of [answer, middle, first]) await record(inbox, each);

    const { messages: all } = await messages().find({ sources: ['work'] }, { limit: 10 });
    assert.deepEqual(
      all.map(({ text, chat }) => [text, chat.name]),
      [
        ['Text 3', 'Start'],
        ['Text 2', 'Start'],
        ['Text 1', 'Start'],
      ],
    );
    assert.equal(new Set(all.map(({ chat }) => chat.id)).size, 1);
    assert.equal(all[0]?.replyTo, all[1]?.id);
    assert.deepEqual(await found('text'), ['Text 3', 'Text 2', 'Text 1']);
  });

  test('an email that names two conversations joins neither to the other', async () => {
    await record(inbox, mailToStore(1), mailToStore(2));
    await record(inbox, mailToStore(3, { email: { references: ['m1@example.test', 'm2@example.test'] } }), {
      ...mailToStore(1, { email: { references: ['m2@example.test'], text: 'Forged.' } }),
      uid: 4,
    });

    const { messages: all } = await messages().find({ sources: ['work'] }, { limit: 10 });

    const chatOf = (text: string) => all.find((each) => each.text === text)?.chat.id;
    assert.notEqual(chatOf('Text 1'), chatOf('Text 2'));
    assert.equal(chatOf('Text 3'), chatOf('Text 2'));
  });

  test('flags of other clients are saved by folder and UID', async () => {
    const { ids } = await record(inbox, mailToStore(1), mailToStore(2));

    const changed = await mail().saveFlags(
      inbox,
      [
        { uid: 1, flags: ['\\Seen'] },
        { uid: 9, flags: [] },
      ],
      { modseq: '5' },
    );

    const stored = await mail().byIds(ids);
    assert.equal(changed, 1);
    assert.deepEqual(
      stored.map(({ isSeen }) => isSeen),
      [true, false],
    );
    assert.equal((await mail().folders('work'))[0]?.modseq, '5');
  });

  test('an email that has left all folders is deleted, one that was moved is not', async () => {
    const { ids } = await record(inbox, mailToStore(1), mailToStore(2));
    await mail().removeLocations(inbox, [1, 2]);
    await record(other, { ...mailToStore(2), uid: 20 });

    const unlocated = await mail().unlocated('work');
    const deleted = await mail().deleteUnlocated('work', ids);

    assert.deepEqual(unlocated, [{ id: ids[0], receivedAt: mailToStore(1).receivedAt }]);
    assert.equal(deleted, 1);
    assert.deepEqual(await found('text'), ['Text 2']);
    assert.deepEqual(
      (await store().chats.list('work', {}, { limit: 10 })).chats.map(({ name }) => name),
      ['Subject 2'],
    );
    const events = await store().events.read(0);
    assert.ok(!JSON.stringify(events).includes('Text 1'));
  });

  test('an email that was deleted comes back when it is seen again', async () => {
    const { ids } = await record(inbox, mailToStore(1));
    await mail().removeLocations(inbox, [1]);
    await mail().deleteUnlocated('work', ids);

    await record(other, { ...mailToStore(1), uid: 3 });

    assert.deepEqual(await found('text'), ['Text 1']);
  });

  test('moving keeps the id of an email', async () => {
    const { ids } = await record(inbox, mailToStore(1));

    await mail().moveLocations(inbox, trash, new Map([[1, 11]]));

    const [stored] = await mail().byIds(ids);
    assert.deepEqual(stored?.locations, [{ folder: trash, path: 'Trash', role: 'trash', uid: 11 }]);
    assert.equal(await mail().deleteUnlocated('work', ids), 0);
  });

  test('only the named emails are deleted, and none of another account', async () => {
    const { ids } = await record(inbox, mailToStore(1), mailToStore(2));
    await mail().removeLocations(inbox, [1, 2]);

    const deleted = [await mail().deleteUnlocated('other', ids), await mail().deleteUnlocated('work', ids.slice(1))];

    assert.deepEqual(deleted, [0, 1]);
    assert.deepEqual(await found('text'), ['Text 1']);
  });

  test('a folder that was numbered anew has no UIDs and begins again; its emails remain', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => mailToStore(index + 1));
    await record(inbox, ...many);
    await mail().saveProgress(inbox, { uidValidity: '1', low: 1, high: 1_501, modseq: '7' });

    await mail().beginFolder(inbox, { uidValidity: '2', uidNext: 9 });

    const [folder] = await mail().folders('work');
    assert.deepEqual([folder?.uidValidity, folder?.low, folder?.high, folder?.modseq], ['2', 9, 9, undefined]);
    assert.deepEqual(await mail().uids(inbox, { from: 1, to: 2_000 }), []);
    assert.equal((await mail().unlocated('work')).length, 1_500);
    assert.equal((await messages().extent('work')).count, 1_500);
  });

  test('a folder that is gone takes its locations with it, and its emails remain', async () => {
    await record(other, mailToStore(1), mailToStore(2));

    await mail().saveFolders('work', [remote('INBOX', 'inbox'), remote('Trash', 'trash')]);

    assert.deepEqual(await mail().uids(other, { from: 1, to: 100 }), []);
    assert.equal((await mail().unlocated('work')).length, 2);
    assert.deepEqual(await found('text'), ['Text 2', 'Text 1']);
  });

  test('emails of a folder that becomes the trash are left out of searches, and those of the former one are not', async () => {
    await record(other, mailToStore(1), mailToStore(2));
    await record(trash, mailToStore(3), mailToStore(4));
    await record(inbox, mailToStore(2), mailToStore(4));
    const texts = async () =>
      (await messages().find({ sources: ['work'], skipDiscarded: true }, { limit: 10 })).messages.map(
        ({ text }) => text,
      );
    const before = await texts();

    await mail().saveFolders('work', [remote('Trash'), remote('Other', 'trash'), remote('INBOX', 'inbox')]);

    assert.deepEqual(
      [before, await texts()],
      [
        ['Text 4', 'Text 2', 'Text 1'],
        ['Text 4', 'Text 3', 'Text 2'],
      ],
    );
  });

  test('nothing is written to a folder that has begun anew', async () => {
    await mail().beginFolder(inbox, { uidValidity: '2', uidNext: 50 });
    const batch = { account: 'work', folder: inbox, mails: [mailToStore(1)], origin: 'older' as const };

    for (const expected of [{ uidValidity: '1' }, { uidValidity: '2', low: 40 }, { uidValidity: '2', high: 51 }]) {
      await assert.rejects(mail().record({ ...batch, expected }), FolderChangedError);
      await assert.rejects(mail().saveProgress(inbox, { low: 1 }, expected), FolderChangedError);
      await assert.rejects(mail().locateKnown('work', inbox, [{ uid: 1 }], expected), FolderChangedError);
    }
    await assert.rejects(mail().saveProgress(999, { low: 1 }, { uidValidity: '2' }), FolderChangedError);
    await mail().record({ ...batch, expected: { uidValidity: '2', low: 50, high: 50 } });

    assert.deepEqual(await found('text'), ['Text 1']);
    assert.equal((await mail().folders('work'))[0]?.low, 50);
  });

  test('an email that the server names by an id of its own is not fetched again', async () => {
    await record(inbox, { ...mailToStore(1), emailId: 'E1' });

    const unknown = await mail().locateKnown('work', other, [
      { uid: 5, emailId: 'E1' },
      { uid: 6, emailId: 'E2' },
      { uid: 7 },
    ]);

    assert.deepEqual(unknown, [6, 7]);
    assert.deepEqual(await mail().uids(other, { from: 1, to: 100 }), [5]);
  });

  test('a message that is removed takes its email with it', async () => {
    const { ids } = await record(inbox, mailToStore(1));

    await store().sources.remove('work');
    await mail().removeAccount('work');

    assert.deepEqual(await mail().byIds(ids), []);
    assert.deepEqual(await mail().folders('work'), []);
  });

  test('words that another thread has determined are found, whole and in part', async () => {
    const index = createEmailIndexer();
    const split = (uid: number, text: string) => {
      const each = mailToStore(uid, { email: { text } });
      return { ...each, indexed: index(each.email) };
    };
    const [first, lost, last] = [split(1, 'zebra crossing'), split(2, 'roundabout'), split(3, 'дорога, roundabout')];
    const place = { account: 'work', folder: inbox, origin: 'older' } as const;
    const part = (text: string) => messages().find({ sources: ['work'], text: { kind: 'part', text } }, { limit: 10 });

    await mail().record({ ...place, mails: [first] });
    const gone = mail().record({ ...place, mails: [lost], expected: { uidValidity: 'another' } });
    await assert.rejects(gone, FolderChangedError);
    await mail().record({ ...place, mails: [last] });

    assert.deepEqual(await found('zebra'), ['zebra crossing']);
    assert.deepEqual(await found('дорога roundabout'), ['дорога, roundabout']);
    assert.equal((await part('ossin')).messages.length, 1);
    assert.equal((await part('ndabou')).messages.length, 1);
  });

  test('of two copies in a folder, the flags of the one that is told last count', async () => {
    const [{ identity }, again] = [mailToStore(1), mailToStore(2)];
    const copy = { ...again, identity, email: mailToStore(1).email };
    const { ids } = await record(inbox, mailToStore(1), copy);

    const changed = await mail().saveFlags(inbox, [
      { uid: 2, flags: ['\\Seen'] },
      { uid: 1, flags: ['\\Flagged'] },
      { uid: 99, flags: [] },
    ]);

    assert.equal(changed, 1);
    assert.deepEqual((await mail().byIds(ids.slice(0, 1)))[0]?.flags, ['\\Flagged']);
  });

  test('merging the index after many emails changes nothing that is found', async () => {
    for (let uid = 1; uid <= 40; uid += 1) {
      await mail().record({ account: 'work', folder: inbox, mails: [mailToStore(uid)], origin: 'older' });
    }
    const before = await found('text');

    await mail().mergeIndex();

    assert.deepEqual(await found('text'), before);
    assert.equal(before.length, 10);
  });

  test('emails are counted by folder', async () => {
    await record(inbox, mailToStore(1), mailToStore(2, { flags: ['\\Seen'] }));

    const counts = await mail().counts('work');

    assert.deepEqual(
      counts.filter(({ messages: count }) => count > 0),
      [{ folder: inbox, messages: 2, unread: 1 }],
    );
  });
}
