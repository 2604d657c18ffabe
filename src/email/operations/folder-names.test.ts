import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openMailbox } from '../../../tests/support/email/mailbox.ts';
import { searchEmails } from './search-emails.ts';
import { updateEmails } from './update-emails.ts';

describe('the name of a folder', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeEach(async () => {
    mailbox = await openMailbox(['Tßp/Mid/Läf', 'One/Same', 'Two/Same', ' Spaces around ']);
    await mailbox.receive(1, { email: { subject: 'In the inbox' } });
    await mailbox.receive(2, { email: { subject: 'Filed' } }, 'Tßp/Mid/Läf');
  });
  afterEach(() => mailbox.close());

  const found = async (search: { folder?: string; query?: string }) =>
    (await searchEmails.run({ unread_only: false, ...search }, mailbox.context)).emails.map(({ subject }) => subject);
  const moved = async (folder: string) => {
    const [id] = (await mailbox.context.mail.byRfcId('work', 'm1@example.test')).map((email) => email.id);
    await updateEmails.run({ action: 'move', message_ids: id, folder }, mailbox.context);
    const [email] = await mailbox.context.mail.byIds([id ?? '']);
    return email?.locations.map(({ path }) => path);
  };

  for (const name of ['Tßp/Mid/Läf', 'tßp/mid/läf', 'Läf', 'läf']) {
    test(`is the same in searches and for moving: ${name}`, async () => {
      assert.deepEqual(await found({ folder: name }), ['Filed']);
      assert.deepEqual(await found({ query: `in:${name}` }), ['Filed']);
      assert.deepEqual(await moved(name), ['Tßp/Mid/Läf']);
    });
  }

  test('may have spaces around it', async () => {
    assert.deepEqual(await moved(' Spaces around '), [' Spaces around ']);
    assert.deepEqual(await found({ folder: ' Spaces around ' }), ['In the inbox']);
    assert.deepEqual(await found({ query: 'in:"spaces around"' }), ['In the inbox']);
  });

  test('is an error where there is none, also in what is excluded', async () => {
    const hint = '`list_folders` shows what there is.';

    await assert.rejects(found({ folder: 'nowhere' }), {
      code: 'NOT_FOUND',
      field: 'folder',
      message: 'There is no folder "nowhere".',
      hint,
    });
    for (const query of ['in:nowhere', 'inbox OR in:nowhere', '-in:nowhere']) {
      await assert.rejects(found({ query }), { code: 'NOT_FOUND', field: 'query', hint });
    }
    await assert.rejects(moved('nowhere'), { code: 'NOT_FOUND', field: 'folder', hint });
  });

  test('may be that of a purpose which the account has no folder for', async () => {
    assert.deepEqual(await found({ folder: 'junk' }), []);
    assert.deepEqual(await found({ query: 'in:anywhere inbox' }), ['In the inbox']);
  });

  test('may be the id of a conversation in a query', async () => {
    const { emails } = await searchEmails.run({ unread_only: false, query: 'subject:filed' }, mailbox.context);

    assert.deepEqual(await found({ query: `in:${emails[0]?.thread_id}` }), ['Filed']);
  });

  test('is none for a caller that may read only some conversations', async () => {
    const wholeAccounts = { ...mailbox.context.wholeAccounts, list: async () => [] };

    const { emails } = await searchEmails.run(
      { unread_only: false, folder: 'nowhere' },
      { ...mailbox.context, wholeAccounts },
    );

    assert.deepEqual(emails, []);
  });

  test('that several folders have finds the emails of all, and is no target', async () => {
    assert.deepEqual(await found({ folder: 'same' }), []);
    await assert.rejects(moved('same'), {
      code: 'VALIDATION_ERROR',
      field: 'folder',
      message: 'Several folders have this name: "One/Same", "Two/Same".',
    });
    assert.deepEqual(await moved('Two/Same'), ['Two/Same']);
  });
});
