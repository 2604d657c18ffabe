import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { emailsOf, emailText, headerField, idOf, startEmailHome, subjectsOf } from '../support/email/email-home.ts';
import type { Delivery } from '../support/email/maildir.ts';
import { until } from '../support/mcp/shim-program.ts';

const home = await startEmailHome(
  after,
  { work: { user: 'alice' }, personal: { user: 'bob' }, other: { user: 'carol' } },
  {
    options: {
      users: ['alice', 'bob', 'carol'],
      // No trash: the program finds that of bob by its name, and creates the others.
      folders: ['Drafts', 'Sent', 'Junk', 'Archive'].map((name) => ({ name, specialUse: `\\${name}` })),
    },
  },
);
const { server } = home;
const deliver = (user: string, subject: string, delivery: Delivery = {}) =>
  server.deliver(user, emailText({ subject, to: `${user}@example.test` }), delivery);

const SEEN: Delivery = { flags: ['\\Seen'] };
for (const each of [1, 2, 3]) deliver('alice', `Unread ${each}`);
for (const each of [1, 2, 3]) deliver('alice', `Read ${each}`, SEEN);
for (const user of ['alice', 'bob', 'carol']) deliver(user, `Shared by ${user}`);
for (const each of [1, 2, 3, 4, 5, 6, 7]) deliver('alice', `Delete ${each}`, SEEN);
deliver('alice', 'Deleted by another program', { flags: ['\\Deleted', '\\Seen'] });
deliver('bob', 'In the trash', { folder: 'Trash', ...SEEN });
await home.synced();
const mail = await home.client('--only', 'email');
const all = await home.client();

const id = (subject: string) => idOf(mail, `subject:"${subject}" in:anywhere`);
const ids = (...subjects: string[]) => Promise.all(subjects.map(id));

/** Flags on the server; undefined if the folder does not have it. */
const flagsOf = (user: string, subject: string, folder?: string) =>
  server.folderOf(user, folder).find(({ raw }) => headerField(raw, 'Subject') === subject)?.flags;
const isIn = (user: string, subject: string, folder?: string) => flagsOf(user, subject, folder) !== undefined;

describe('mark_read', { timeout: 120_000 }, () => {
  test('EMAIL-17 marks one email as read, on the server too, and again without harm', async () => {
    const one = await id('Unread 1');

    const answers = [
      await mail.call('mark_read', { message_ids: one }),
      await mail.call('mark_read', { message_ids: one }),
    ];

    for (const answer of answers) assert.deepEqual(answer, { updated: 1, unread: false });
    assert.deepEqual(flagsOf('alice', 'Unread 1'), ['\\Seen']);
    assert.equal((await mail.call('read_email', { message_id: one })).is_unread, false);
    assert.deepEqual(flagsOf('alice', 'Unread 2'), []);
  });

  test('EMAIL-17 marks many as unread', async () => {
    const three = await ids('Read 1', 'Read 2', 'Read 3');

    const answer = await mail.call('mark_read', { message_ids: three, unread: true });

    assert.deepEqual(answer, { updated: 3, unread: true });
    for (const each of [1, 2, 3]) assert.deepEqual(flagsOf('alice', `Read ${each}`), []);
    const unread = subjectsOf(await mail.call('search_emails', { query: 'subject:read', unread_only: true }));
    assert.deepEqual(unread, ['Read 3', 'Read 2', 'Read 1']);
  });

  test('EMAIL-17 marks emails of all accounts in one call, by REST and the command line, too', async () => {
    const shared = await ids('Shared by alice', 'Shared by bob', 'Shared by carol');
    const seen = () => ['alice', 'bob', 'carol'].map((user) => flagsOf(user, `Shared by ${user}`)?.includes('\\Seen'));

    const byTool = await mail.call('mark_read', { message_ids: shared });
    const afterTool = seen();
    const byRest = await home.rest('POST', '/emails/mark-read', { message_ids: shared, unread: true });
    const afterRest = seen();
    const byCommand = await home.json('email', 'mark-read', ...shared);

    assert.deepEqual([byTool.updated, byRest.body.updated, byCommand.updated], [3, 3, 3]);
    assert.deepEqual(
      [afterTool, afterRest, seen()],
      [
        [true, true, true],
        [false, false, false],
        [true, true, true],
      ],
    );
  });

  test('EMAIL-17 unknown ids are named; if all are, nothing happens', async () => {
    const one = await id('Unread 2');

    const some = await mail.call('mark_read', { message_ids: [one, '12345', 'invalid'] });
    const none = await mail.refusal('mark_read', { message_ids: ['12345', 'invalid'] });
    const empty = await mail.refusal('mark_read', { message_ids: [] });

    assert.deepEqual(some, { updated: 1, unread: false, not_found: ['12345', 'invalid'] });
    assert.deepEqual([none.code, empty.code, empty.field], ['MESSAGE_NOT_FOUND', 'VALIDATION_ERROR', 'message_ids']);
  });

  test('EMAIL-17 what another program marks is seen here', async (context) => {
    const session = await home.imap(context, 'alice');
    const { rfc_message_id: rfcId } = await mail.call('read_email', { message_id: await id('Unread 3') });
    const [uid = 0] = await session.withMessageId('INBOX', String(rfcId));

    await session.setFlags('INBOX', [uid], { add: ['\\Seen', '\\Flagged'] });

    await until(
      'it is flagged here',
      async () => subjectsOf(await mail.call('search_emails', { query: 'is:flagged' })).length === 1,
    );
    assert.partialDeepStrictEqual(emailsOf(await mail.call('search_emails', { query: 'is:flagged' })), [
      { subject: 'Unread 3', is_unread: false, is_flagged: true },
    ]);
  });
});

describe('delete_email', { timeout: 120_000 }, () => {
  test('EMAIL-18 moves to the trash, where it is found by its id and its folder', async () => {
    const one = await id('Delete 1');

    const answer = await mail.call('delete_email', { message_ids: one });

    assert.deepEqual(answer, { moved_to_trash: 1, deleted: 0 });
    assert.deepEqual([isIn('alice', 'Delete 1'), isIn('alice', 'Delete 1', 'Trash')], [false, true]);
    assert.deepEqual((await mail.call('read_email', { message_id: one })).folders, ['Trash']);
    assert.deepEqual(subjectsOf(await mail.call('search_emails', { query: '"Delete 1"' })), []);
    assert.deepEqual(subjectsOf(await mail.call('search_emails', { query: '"Delete 1"', folder: 'trash' })), [
      'Delete 1',
    ]);
  });

  test('EMAIL-18 many at once, also of several accounts, by REST and the command line', async () => {
    const [two, three, bobs] = await ids('Delete 2', 'Delete 3', 'Shared by bob');

    const byTool = await mail.call('delete_email', { message_ids: [two, bobs] });
    const byRest = await home.rest('POST', '/emails/delete', { message_ids: [three] });
    const byCommand = await home.json('email', 'delete', String(await id('Delete 4')));

    assert.deepEqual([byTool.moved_to_trash, byRest.body.moved_to_trash, byCommand.moved_to_trash], [2, 1, 1]);
    for (const each of [2, 3, 4]) assert.ok(isIn('alice', `Delete ${each}`, 'Trash'), String(each));
    assert.ok(isIn('bob', 'Shared by bob', 'Trash'));
  });

  test('EMAIL-18 what is in the trash already stays there', async () => {
    const answer = await mail.call('delete_email', { message_ids: await id('In the trash') });

    assert.equal(answer.moved_to_trash, 1);
    assert.ok(isIn('bob', 'In the trash', 'Trash'));
  });

  test('EMAIL-18 permanent deletes for good, from any folder, and nothing else', async () => {
    const [five, trashed] = await ids('Delete 5', 'Delete 1');

    const answer = await mail.call('delete_email', { message_ids: [five, trashed], permanent: true });

    assert.deepEqual(answer, { moved_to_trash: 0, deleted: 2 });
    for (const [subject, folder] of [['Delete 5'], ['Delete 5', 'Trash'], ['Delete 1', 'Trash']])
      assert.equal(isIn('alice', subject ?? '', folder), false);
    for (const message of [five, trashed])
      assert.equal((await mail.refusal('read_email', { message_id: message })).code, 'MESSAGE_NOT_FOUND');
    assert.ok(
      isIn('alice', 'Deleted by another program'),
      'only marked by its program, so that it can be restored there',
    );
    assert.ok(isIn('alice', 'Delete 6'));
  });

  test('EMAIL-18 unknown ids are named; deleting again is not an error of the others', async () => {
    const six = await id('Delete 6');

    const some = await mail.call('delete_email', { message_ids: [six, 'invalid'] });
    const none = await mail.refusal('delete_email', { message_ids: '77' });

    assert.deepEqual(some, { moved_to_trash: 1, deleted: 0, not_found: ['invalid'] });
    assert.equal(none.code, 'MESSAGE_NOT_FOUND');
  });

  test('EMAIL-18 what another program deletes is gone here, too', async (context) => {
    const seven = await id('Delete 7');
    const session = await home.imap(context, 'alice');
    const { rfc_message_id: rfcId } = await mail.call('read_email', { message_id: seven });
    const [uid = 0] = await session.withMessageId('INBOX', String(rfcId));

    await session.expunge('INBOX', [uid]);

    await until(
      'it is gone',
      async () => subjectsOf(await mail.call('search_emails', { query: '"Delete 7" in:anywhere' })).length === 0,
    );
    assert.equal((await mail.refusal('read_email', { message_id: seven })).code, 'MESSAGE_NOT_FOUND');
  });

  test('EMAIL-18 what another program has moved or deleted a moment ago is changed where it is, or named', async (context) => {
    const other = await home.imap(context, 'alice');
    for (const folder of ['Projects', 'Done']) await other.createFolder(folder);
    for (const subject of ['Moved elsewhere', 'Deleted elsewhere']) deliver('alice', subject, { folder: 'Projects' });
    await home.synced();
    const [moved = '', deleted = ''] = await ids('Moved elsewhere', 'Deleted elsewhere');
    const [first = 0, second = 0] = await other.uids('Projects');
    await other.move('Projects', [first], 'Done');
    await other.expunge('Projects', [second]);

    const answer = await mail.call('delete_email', { message_ids: [moved, deleted] });
    const again = await mail.refusal('mark_read', { message_ids: deleted });

    assert.deepEqual(answer, { moved_to_trash: 1, deleted: 0, not_found: [deleted] });
    assert.equal(again.code, 'MESSAGE_NOT_FOUND');
    assert.deepEqual(
      ['Done', 'Trash'].map((folder) => isIn('alice', 'Moved elsewhere', folder)),
      [false, true],
    );
  });

  test('EMAIL-18 an email whose folder was numbered anew is not confused with another', async () => {
    deliver('carol', 'Numbered 1');
    deliver('carol', 'Numbered 2');
    await home.synced();
    const one = await id('Numbered 1');
    server.renumber('carol', 'INBOX');

    const { result } = await mail.rpc('tools/call', { name: 'delete_email', arguments: { message_ids: one } });
    await home.synced();
    if (result?.isError) await mail.call('delete_email', { message_ids: await id('Numbered 1') });

    assert.deepEqual([isIn('carol', 'Numbered 1'), isIn('carol', 'Numbered 2')], [false, true]);
  });
});

describe('update_emails', { timeout: 120_000 }, () => {
  test('EMAIL-18 by a query shows a preview first, and changes exactly what was in it', async () => {
    for (const each of [1, 2, 3]) deliver('carol', `Newsletter ${each}`);
    await home.synced();
    const request = { action: 'archive', query: 'subject:newsletter', account: 'other' };

    const preview = await all.call('update_emails', request);
    const untouched = isIn('carol', 'Newsletter 1');
    deliver('carol', 'Newsletter 4');
    await home.synced();
    const refused = await all.refusal('update_emails', { ...request, preview_id: preview.preview_id });
    const second = await all.call('update_emails', request);
    const done = await all.call('update_emails', { ...request, preview_id: second.preview_id });

    assert.partialDeepStrictEqual(preview, { matched: 3, updated: 0 });
    assert.equal((preview.emails as JsonObject[]).length, 3);
    assert.deepEqual([untouched, refused.code, done.updated], [true, 'CONFLICT', 4]);
    for (const each of [1, 2, 3, 4]) assert.ok(isIn('carol', `Newsletter ${each}`, 'Archive'));
  });
});
