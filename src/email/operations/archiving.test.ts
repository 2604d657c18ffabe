import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openMailbox } from '../../../tests/support/email/mailbox.ts';
import { updateEmails } from './update-emails.ts';

type Action = 'archive' | 'move' | 'trash';

describe('an email in several folders', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeEach(async () => {
    mailbox = await openMailbox();
  });
  afterEach(() => mailbox.close());

  /** Where an email of these folders is afterwards, on the server and in the store, and how many were changed. */
  async function after(action: Action, ...paths: string[]) {
    let id = '';
    for (const path of paths) id = await mailbox.receive(1, {}, path);
    const folder = action === 'move' ? { folder: 'Projects' } : {};
    const { updated } = await updateEmails.run({ action, message_ids: id, ...folder }, mailbox.context);
    const [email] = await mailbox.context.mail.byIds([id]);
    const stored = email?.locations.map(({ path }) => path).sort();
    const copies = [...mailbox.server].flatMap(([path, emails]) => Array.from(emails, () => path)).sort();
    assert.deepEqual(stored, copies);
    return [...copies, updated];
  }

  const ARCHIVED: readonly (readonly [before: string[], after: (string | number)[]])[] = [
    [['INBOX'], ['Archive', 1]],
    [
      ['INBOX', 'Projects'],
      ['Archive', 'Projects', 1],
    ],
    [
      ['INBOX', 'Sent'],
      ['Archive', 'Sent', 1],
    ],
    [
      ['INBOX', 'All Mail'],
      ['All Mail', 'Archive', 1],
    ],
    [['Projects'], ['Archive', 1]],
    [
      ['Projects', 'Trash'],
      ['Archive', 'Projects', 1],
    ],
    [
      ['Projects', 'Archive'],
      ['Archive', 'Projects', 1],
    ],
    [['Sent'], ['Sent', 0]],
    [['All Mail'], ['All Mail', 0]],
    [['Archive'], ['Archive', 1]],
  ];
  for (const [before, expected] of ARCHIVED) {
    test(`in ${before.join(' and ')} is archived with one copy`, async () => {
      assert.deepEqual(await after('archive', ...before), expected);
    });
  }

  test('is moved out of all but the sent ones and all mail, unless it is nowhere else', async () => {
    assert.deepEqual(await after('move', 'INBOX', 'Sent', 'All Mail'), ['All Mail', 'Projects', 'Sent', 1]);
  });

  test('is moved from the sent ones if it is nowhere else', async () => {
    assert.deepEqual(await after('move', 'Sent'), ['Projects', 1]);
  });

  test('goes to the trash with all its copies', async () => {
    assert.deepEqual(await after('trash', 'INBOX', 'Sent', 'Projects'), ['Trash', 'Trash', 'Trash', 1]);
  });

  test('that is not moved is told', () => {
    assert.equal(
      updateEmails.render?.({ action: 'archive', matched: 3, updated: 1 }),
      '1 email changed (archive). 2 emails left in place: what is sent, a draft or archived already is not moved.',
    );
  });
});
