import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { headerField, startEmailHome } from '../support/email/email-home.ts';
import type { MailServer } from '../support/email/mail-server.ts';
import type { SystemFlag } from '../support/email/maildir.ts';

const home = await startEmailHome(after, {
  personal: { user: 'alice', settings: { from_name: 'Alice', aliases: ['sales@example.test'] } },
});
const { server } = home;
const { call, refusal } = await home.client();

interface Draft {
  draft_id: string;
  subject: string;
}

async function drafts(): Promise<readonly Draft[]> {
  return (await call('list_drafts')).drafts as unknown as Draft[];
}

afterEach(async () => {
  for (const { draft_id } of await drafts()) await call('delete_draft', { draft_id });
});

/** As another mail program saves it. Returns our id of it. */
async function saved(subject: string, header: readonly string[], body = 'text', flags: readonly SystemFlag[] = []) {
  const raw = [`Subject: ${subject}`, ...header, '', body, ''].join('\r\n');
  server.deliver('alice', raw, { folder: 'Drafts', flags: ['\\Draft', '\\Seen', ...flags] });
  await home.synced();
  const found = (await drafts()).find((each) => each.subject === subject);
  return found?.draft_id ?? assert.fail(`no draft ${subject}`);
}

const rawOf = (user: string, subject: string, folder?: string) =>
  server.folderOf(user, folder).find(({ raw }) => headerField(raw, 'Subject') === subject)?.raw;

describe('a draft of another mail program', { timeout: 120_000 }, () => {
  for (const [to, name] of [
    ['joe, bob@example.test', 'joe'],
    ['joe, Bob <bob@example.test>', 'joe'],
    ['bob@example.test, joe@', 'joe@'],
    ['=?utf-8?q?J=C3=BCrgen?=', 'Jürgen'],
  ]) {
    test(`is not sent while a recipient has no address: ${to}`, async () => {
      const id = await saved('Not complete', ['From: alice@example.test', `To: ${to}`]);

      const error = await refusal('send_email', { draft_id: id });

      assert.equal(error.code, 'VALIDATION_ERROR');
      assert.equal(error.message, `The recipient "${name}" of the draft is not an email address.`);
      assert.equal(server.folderOf('alice', 'Drafts').length, 1);
      assert.equal(rawOf('bob', 'Not complete'), undefined);
    });
  }

  test('with more recipients than an email may have is not sent to some of them', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => `user${index}@example.test`).join(',\r\n ');
    const id = await saved('Everybody', ['From: alice@example.test', `To: ${many}`]);

    const error = await refusal('send_email', { draft_id: id });

    assert.deepEqual([error.code, error.message], ['VALIDATION_ERROR', 'An email can have at most 500 recipients.']);
  });

  test('keeps every header that is not changed', async () => {
    const header = [
      'From: Sales <sales@example.test>',
      'To: joe, Team: bob@example.test;',
      'Cc: "B, Bob" <bob@example.test>',
      'Reply-To: desk@example.test',
      'Importance: high',
      'Message-ID: <kept@example.test>',
      'References: <first@example.test>',
    ];
    const id = await saved('Kept', [...header, 'MIME-Version: 1.0', 'Content-Type: text/html'], '<p>old</p>');

    const { draft_id: second } = await call('update_draft', { draft_id: id, cc: [] });
    const afterHeader = rawOf('alice', 'Kept', 'Drafts') ?? '';
    await call('update_draft', { draft_id: second, body: 'new' });
    const afterBody = rawOf('alice', 'Kept', 'Drafts') ?? '';

    const others = header.filter((line) => !line.startsWith('Cc:'));
    for (const raw of [afterHeader, afterBody]) {
      assert.deepEqual(
        others.filter((line) => !raw.includes(`${line}\r\n`) && !raw.includes(`${line}\n`)),
        [],
      );
      assert.equal(headerField(raw, 'Cc'), undefined);
      assert.equal(raw.match(/^Content-Type:/gm)?.length, 1);
    }
    assert.match(afterHeader, /<p>old<\/p>/);
    assert.match(afterBody, /\r?\n\r?\nnew\r?\n$/);
  });

  test('with an attached email keeps the files of that email within it when the text is changed', async () => {
    const id = await saved(
      'Attached',
      ['From: alice@example.test', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=a'],
      [
        '--a',
        '',
        'see the email',
        '--a',
        'Content-Type: message/rfc822',
        'Content-Disposition: attachment; filename=inner.eml',
        '',
        'Subject: inner',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: application/pdf; name=inner.pdf',
        'Content-Disposition: attachment; filename=inner.pdf',
        '',
        'the offer',
        '--b--',
        '--a--',
      ].join('\r\n'),
    );

    const renamed = await call('update_draft', { draft_id: id, subject: 'Attached' });
    const rewritten = await call('update_draft', { draft_id: renamed.draft_id, body: 'read the email' });

    assert.deepEqual([renamed.attachments, rewritten.attachments], [['inner.eml'], ['inner.eml']]);
    assert.equal(rawOf('alice', 'Attached', 'Drafts')?.match(/filename=/g)?.length, 1);
  });

  test('is sent without what only the program that wrote it needs', async () => {
    const own = ['Fcc: imap://alice@example.test/Sent', 'X-Mozilla-Draft-Info: internal/draft', 'X-Identity-Key: id1'];
    const id = await saved('Fields', ['From: alice@example.test', 'To: bob@example.test', 'X-Priority: 1', ...own]);

    await call('send_email', { draft_id: id });

    await server.smtp.delivered();
    const received = rawOf('bob', 'Fields') ?? '';
    assert.match(received, /^X-Priority: 1$/m);
    assert.doesNotMatch(received, /^(?:Fcc|X-Mozilla|X-Identity)/im);
  });

  test('is sent although a former version with the same Message-ID is in the folder, and that one is not sent after it', async () => {
    const header = ['From: alice@example.test', 'To: bob@example.test', 'Message-ID: <versions@example.test>'];
    const former = await saved('Former version', header, 'old', ['\\Deleted']);
    const id = await saved('Last version', header, 'new');

    const sent = await call('send_email', { draft_id: id });
    const error = await refusal('send_email', { draft_id: former });

    assert.equal(sent.status, 'sent');
    assert.match(error.message, /^Not sent\. Another email with the same Message-ID was sent before\./);
    await server.smtp.delivered();
    assert.notEqual(rawOf('bob', 'Last version'), undefined);
    assert.equal(rawOf('bob', 'Former version'), undefined);
    assert.equal(server.folderOf('alice', 'Drafts').length, 1, 'what was not sent remains');
  });

  test('remains if the copy cannot be saved among the sent ones, and the answer says so', async () => {
    const email = { to: 'bob@example.test', subject: 'Only copy', body: 'text' };
    await call('send_email', { ...email, subject: 'First' });

    const sent = await withReadOnlyFolder(server, 'Sent', () => call('send_email', email));
    const again = await call('send_email', { draft_id: (await drafts())[0]?.draft_id });

    await server.smtp.delivered();
    for (const answer of [sent, again]) {
      assert.equal(answer.status, 'sent');
      assert.match(String(answer.reason), /copy could not be saved among the sent emails: the draft is kept/);
    }
    assert.equal(server.folderOf('bob').filter(({ raw }) => headerField(raw, 'Subject') === 'Only copy').length, 1);
    assert.notEqual(rawOf('alice', 'Only copy', 'Drafts'), undefined);
  });
});

async function withReadOnlyFolder<T>({ maildirOf }: MailServer, folder: string, work: () => Promise<T>): Promise<T> {
  const paths = ['tmp', 'new', 'cur', ''].map((part) => join(maildirOf('alice'), folder, part));
  for (const path of paths) chmodSync(path, 0o500);
  try {
    return await work();
  } finally {
    for (const path of paths) chmodSync(path, 0o700);
  }
}
