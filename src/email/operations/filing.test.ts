import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fetchedMail } from '../../../tests/support/email/mail-samples.ts';
import { openMailbox } from '../../../tests/support/email/mailbox.ts';
import { MailError } from '../../connectors/mail-connector.ts';
import { toStore } from '../rules/identity.ts';
import { deleteEmail } from './delete-email.ts';
import { listFolders } from './list-folders.ts';
import { markRead } from './mark-read.ts';
import { syncAccounts } from './sync-accounts.ts';
import { updateEmails } from './update-emails.ts';

describe('filing emails', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeEach(async () => {
    mailbox = await openMailbox();
  });
  afterEach(() => mailbox.close());
  const folders = async (id: string) => (await mailbox.context.mail.byIds([id]))[0]?.locations.map(({ path }) => path);

  test('EMAIL-17 marks one email or many as read and unread, on the server and here', async () => {
    const ids = [await mailbox.receive(1), await mailbox.receive(2)];

    const read = await markRead.run({ message_ids: ids, unread: false }, mailbox.context);
    const unread = await markRead.run({ message_ids: ids[0] ?? '', unread: true }, mailbox.context);

    assert.deepEqual([read.updated, unread.updated], [2, 1]);
    assert.deepEqual(mailbox.calls, ['flags INBOX 1,2 +\\Seen -', 'flags INBOX 1 + -\\Seen']);
    assert.deepEqual(
      (await mailbox.context.mail.byIds(ids)).map(({ isSeen }) => isSeen),
      [false, true],
    );
    assert.equal(
      markRead.render?.({ updated: 2, unread: false, not_found: ['9'] }),
      '2 emails marked as read. Not found: 9.',
    );
  });

  test('EMAIL-18 moves emails to the trash, and deletes them for good', async () => {
    const [first, second] = [await mailbox.receive(1), await mailbox.receive(2)];

    const moved = await deleteEmail.run({ message_ids: [first, 'x'], permanent: false }, mailbox.context);
    const deleted = await deleteEmail.run({ message_ids: second, permanent: true }, mailbox.context);

    assert.deepEqual(moved, { moved_to_trash: 1, deleted: 0, not_found: ['x'] });
    assert.deepEqual(deleted, { moved_to_trash: 0, deleted: 1 });
    assert.deepEqual(await folders(first), ['Trash']);
    assert.deepEqual(await mailbox.context.mail.byIds([second]), []);
    assert.equal(await mailbox.context.messages.byId(second), undefined);
    assert.equal(deleteEmail.render?.({ moved_to_trash: 1, deleted: 0 }), '1 email moved to the trash.');
    assert.equal(deleteEmail.render?.({ moved_to_trash: 0, deleted: 2 }), '2 emails deleted for good.');
  });

  test('an unknown email is an error, and an account that is not connected says why', async () => {
    const id = await mailbox.receive(1);
    mailbox.disconnect();

    await assert.rejects(markRead.run({ message_ids: ['9', 'x'], unread: false }, mailbox.context), {
      code: 'MESSAGE_NOT_FOUND',
    });
    await assert.rejects(markRead.run({ message_ids: id, unread: false }, mailbox.context), {
      code: 'SERVICE_UNAVAILABLE',
      hint: 'Its server cannot be reached.',
    });
  });

  test('a query shows a preview first, and changes exactly what was shown', async () => {
    const id = await mailbox.receive(1, { email: { subject: 'Newsletter' } });
    const ask = { action: 'archive', query: 'newsletter' } as const;

    const preview = await updateEmails.run(ask, mailbox.context);
    const done = await updateEmails.run({ ...ask, preview_id: preview.preview_id }, mailbox.context);

    assert.deepEqual([preview.matched, preview.updated, preview.emails?.length], [1, 0, 1]);
    assert.deepEqual([done.matched, done.updated, done.preview_id], [1, 1, undefined]);
    assert.deepEqual(await folders(id), ['Archive']);
    assert.match(
      updateEmails.render?.(updateEmails.output.parse(preview)) ?? '',
      /^Preview: 1 email would be changed \(archive\)/,
    );
    assert.equal(updateEmails.render?.(updateEmails.output.parse(done)), '1 email changed (archive).');
  });

  test('a query that nothing matches changes nothing, also once its preview was seen', async () => {
    const ask = { action: 'archive', query: 'newsletter' } as const;

    const preview = await updateEmails.run(ask, mailbox.context);
    const done = await updateEmails.run({ ...ask, preview_id: preview.preview_id }, mailbox.context);

    assert.deepEqual([preview.matched, done.matched, done.updated], [0, 0, 0]);
    assert.deepEqual(mailbox.calls, []);
  });

  test('emails of a query that are gone since the preview are an error of the query', async () => {
    await mailbox.receive(1, { email: { subject: 'Newsletter' } });
    const ask = { action: 'flag', query: 'newsletter' } as const;
    const preview = await updateEmails.run(ask, mailbox.context);
    const { mail, sessions, signal } = mailbox.context;
    const live = await sessions.of('work', signal);
    mailbox.server.get('INBOX')?.clear();
    live.syncNow = async () => {
      for (const { key } of await mail.folders('work')) await mail.removeLocations(key, [1]);
      return { added: 0, changed: 0, removed: 1 };
    };

    await assert.rejects(updateEmails.run({ ...ask, preview_id: preview.preview_id }, mailbox.context), {
      code: 'MESSAGE_NOT_FOUND',
      field: 'query',
    });
  });

  test('a preview is not valid any more once another email matches', async () => {
    await mailbox.receive(1, { email: { subject: 'Newsletter' } });
    const ask = { action: 'trash', query: 'newsletter' } as const;
    const preview = await updateEmails.run(ask, mailbox.context);
    await mailbox.receive(2, { email: { subject: 'Newsletter' } });

    await assert.rejects(updateEmails.run({ ...ask, preview_id: preview.preview_id }, mailbox.context), {
      code: 'CONFLICT',
      field: 'preview_id',
    });
    assert.deepEqual(mailbox.calls, []);
  });

  test('a preview is valid for the same call only', async () => {
    await mailbox.receive(1, { email: { subject: 'Newsletter' } });
    const ask = { action: 'move', query: 'newsletter', folder: 'Projects' } as const;
    const { preview_id: preview } = await updateEmails.run(ask, mailbox.context);
    const others = [
      { action: 'trash', query: 'newsletter' },
      { ...ask, folder: 'Trash' },
      { ...ask, query: 'subject:newsletter' },
      { ...ask, account: 'work' },
    ] as const;

    for (const other of others) {
      await assert.rejects(updateEmails.run({ ...other, preview_id: preview }, mailbox.context), {
        code: 'CONFLICT',
        field: 'preview_id',
      });
    }
    assert.deepEqual(mailbox.calls, []);
  });

  test('emails are flagged and moved by their ids', async () => {
    const id = await mailbox.receive(1);

    await updateEmails.run({ action: 'flag', message_ids: id }, mailbox.context);
    await updateEmails.run({ action: 'move', message_ids: id, folder: 'projects' }, mailbox.context);

    assert.deepEqual(mailbox.calls, ['flags INBOX 1 +\\Flagged -', 'move INBOX 1 Projects']);
    assert.deepEqual(await folders(id), ['Projects']);
  });

  test('wrong combinations of fields are refused', async () => {
    const id = await mailbox.receive(1);
    const refused = (input: Parameters<typeof updateEmails.run>[0], field: string) =>
      assert.rejects(updateEmails.run(input, mailbox.context), { field });

    await refused({ action: 'move', message_ids: id }, 'folder');
    await refused({ action: 'flag', message_ids: id, folder: 'Projects' }, 'folder');
    await refused({ action: 'flag' }, 'message_ids');
    await refused({ action: 'flag', message_ids: id, query: 'x' }, 'message_ids');
    await refused({ action: 'move', message_ids: id, folder: 'Nowhere' }, 'folder');
  });

  test('a folder that is missing is created', async () => {
    const id = await mailbox.receive(1);
    mailbox.server.delete('Trash');
    await mailbox.context.mail.saveFolders('work', [
      { path: 'INBOX', names: ['INBOX'], role: 'inbox', isSelectable: true },
    ]);

    await deleteEmail.run({ message_ids: id, permanent: false }, mailbox.context);

    assert.deepEqual(mailbox.calls, ['create Trash', 'move INBOX 1 Trash']);
  });

  test('a folder that cannot be changed does not keep others from being changed, and is named', async () => {
    const ids = [
      await mailbox.receive(1, {}, 'Projects'),
      await mailbox.receive(2),
      await mailbox.receive(3, {}, 'Archive'),
    ];
    const { session } = await mailbox.context.sessions.of('work', mailbox.context.signal);
    const { setFlags } = session;
    session.setFlags = async (path, ...more) => {
      if (path === 'Projects') throw new MailError('refused', 'The folder cannot be changed.');
      await setFlags(path, ...more);
    };

    await assert.rejects(markRead.run({ message_ids: ids, unread: false }, mailbox.context), {
      code: 'SERVICE_UNAVAILABLE',
      message: /'work' did not do this\. In "Projects": The folder cannot be changed\.$/,
      hint: /^Other emails of this call may have been changed/,
    });

    assert.deepEqual(
      (await mailbox.context.mail.byIds(ids)).map(({ isSeen }) => isSeen),
      [false, true, true],
    );
  });

  test('nothing is changed where one of the accounts is not connected, or lacks the folder', async () => {
    const { mail, sessions, signal } = mailbox.context;
    const id = await mailbox.receive(1);
    const [inbox] = await mail.saveFolders('home', [{ path: 'INBOX', names: ['INBOX'], isSelectable: true }]);
    const mails = [toStore(fetchedMail(9), undefined, [])];
    const { ids } = await mail.record({ account: 'home', folder: inbox?.key ?? 0, mails, origin: 'newer' });
    const both = { message_ids: [id, ...ids] };

    await assert.rejects(markRead.run({ ...both, unread: false }, mailbox.context), { code: 'SERVICE_UNAVAILABLE' });
    await assert.rejects(
      updateEmails.run(
        { ...both, action: 'move', folder: 'Projects' },
        { ...mailbox.context, sessions: { of: () => sessions.of('work', signal) } },
      ),
      { code: 'NOT_FOUND', field: 'folder' },
    );

    assert.deepEqual(mailbox.calls, []);
  });

  test('folders are listed with counts, of all accounts or one', async () => {
    await mailbox.receive(1);

    const all = await listFolders.run({}, mailbox.context);
    const none = await listFolders.run({ account: 'home' }, mailbox.context);

    assert.deepEqual(all.folders[0], { account: 'work', folder: 'INBOX', role: 'inbox', messages: 1, unread: 1 });
    assert.deepEqual(none, { folders: [] });
    assert.equal(listFolders.render?.(none), 'No folder is known yet.');
    assert.match(
      listFolders.render?.(listFolders.output.parse(all)) ?? '',
      /^Folder "INBOX" \(inbox\) of work: 1 emails stored, 1 unread$/m,
    );
  });

  test('a sync tells what it found', async () => {
    const { accounts } = await syncAccounts.run({ account: 'work' }, mailbox.context);

    assert.deepEqual(accounts, [{ account: 'work', added: 1, changed: 2, removed: 3 }]);
    assert.equal(syncAccounts.render?.({ accounts }), 'work: 1 new, 2 changed, 3 moved or deleted');
    assert.equal(syncAccounts.render?.({ accounts: [] }), 'No email account is configured.');
  });
});
