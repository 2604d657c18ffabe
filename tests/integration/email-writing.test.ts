import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { startEmailProgram } from '../support/email/email-program.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startMailServer({ users: ['alice', 'bob', 'carol', 'dave'] });
after(() => server.stop());
const home = join(temporaryFolder(after), 'home');
mkdirSync(join(home, 'attachments'), { recursive: true });
writeFileSync(join(home, 'attachments', 'März.pdf'), 'PDF');
server.deliver(
  'alice',
  [
    'From: "Bob, B." <bob@example.test>',
    'To: Alice <alice@example.test>, carol@example.test, alice+tag@example.test',
    'Cc: Dave <dave@example.test>, a.miller@example.test',
    'Subject: AW: Offer',
    'Message-ID: <m2@example.test>',
    'In-Reply-To: <m1@example.test>',
    'References: <m0@example.test> <m1@example.test>',
    'Date: Tue, 17 Nov 2026 09:30:05 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Hello Alice,',
    'see the file.',
    '--b',
    'Content-Type: application/pdf; name=offer.pdf',
    'Content-Disposition: attachment; filename=offer.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('the offer').toString('base64'),
    '--b--',
    '',
  ].join('\r\n'),
);

const program = await startEmailProgram(home, server, {
  personal: {
    user: 'alice',
    settings: { from_name: 'Alice Müller', aliases: ['a.miller@example.test'], poll_ms: 100 },
  },
  work: { user: 'carol' },
});
after(() => program.stop());
const { call, refusal } = program;

describe('composing', () => {
  test('EMAIL-09 EMAIL-11 makes a draft in the account, visible to other programs, and sends nothing', async () => {
    const { draft_id: id } = await call('compose_email', {
      account: 'personal',
      to: ['Joe <joe@example.test>', 'b@example.test'],
      cc: 'c@example.test',
      bcc: 'boss@example.test',
      subject: 'Grüße',
      body: 'Hi **Joe**,\nsee https://example.org',
      attachments: ['März.pdf', { name: 'note.txt', content_base64: Buffer.from('note').toString('base64') }],
    });

    assert.match(String(id), /^\d+$/);
    const draft = await parsed('alice', 'Drafts', 'Grüße');
    assert.deepEqual(draft.from, { name: 'Alice Müller', address: 'alice@example.test' });
    assert.deepEqual(
      [draft.to, draft.cc, draft.bcc].map((list) => list?.map(({ address }) => address)),
      [['joe@example.test', 'b@example.test'], ['c@example.test'], ['boss@example.test']],
    );
    assert.equal(draft.text?.trim(), 'Hi **Joe**,\nsee https://example.org');
    assert.match(draft.html ?? '', /<strong>Joe<\/strong>.*<a href="https:\/\/example\.org">/s);
    assert.deepEqual(
      draft.attachments.map(({ filename }) => filename),
      ['März.pdf', 'note.txt'],
    );
    assert.ok(server.folderOf('alice', 'Drafts').every(({ flags }) => flags.includes('\\Draft')));
    assert.deepEqual(server.folderOf('bob'), []);
    assert.ok(((await call('list_drafts')).drafts as { draft_id: string }[]).some(({ draft_id }) => draft_id === id));
    assert.deepEqual(await call('delete_draft', { draft_id: id }), { deleted: id, account: 'personal' });
    assert.equal(server.folderOf('alice', 'Drafts').length, 0);
  });

  test('EMAIL-10 asks which account is meant, and lists them', async () => {
    const error = await refusal('compose_email', { to: 'joe@example.test', subject: 'x', body: 'x' });

    assert.equal(error.code, 'ACCOUNT_AMBIGUOUS');
    assert.match(error.message, /personal.*work/);
  });

  test('names the wrong address and its field', async () => {
    const error = await refusal('compose_email', {
      account: 'work',
      to: 'a@b.test',
      cc: 'joe',
      subject: 'x',
      body: 'x',
    });

    assert.deepEqual(
      [error.code, error.field, error.message],
      ['VALIDATION_ERROR', 'cc', '"joe" in cc is not an email address.'],
    );
  });

  test('takes no file from elsewhere', async () => {
    const error = await refusal('compose_email', {
      account: 'work',
      to: 'a@b.test',
      subject: 'x',
      body: 'x',
      attachments: ['../config.yaml'],
    });

    assert.equal(error.code, 'FORBIDDEN');
    assert.equal(server.folderOf('carol', 'Drafts').length, 0);
  });
});

describe('sending', () => {
  test('EMAIL-12 a draft: it arrives at all recipients, is among the sent ones, and no draft any more', async () => {
    const draft = await call('compose_email', {
      account: 'personal',
      to: 'bob@example.test',
      bcc: 'dave@example.test',
      subject: 'One',
      body: 'Hello',
    });

    const sent = await call('send_email', { draft_id: draft.draft_id });

    assert.equal(sent.status, 'sent');
    const [copy] = server.folderOf('alice', 'Sent');
    assert.match(copy?.raw ?? '', /^Bcc: <dave@example\.test>/m);
    assert.deepEqual(copy?.flags, ['\\Seen']);
    assert.equal(server.folderOf('alice', 'Drafts').length, 0);
    for (const user of ['bob', 'dave']) assert.doesNotMatch(await arrived(user, 'One'), /dave|^bcc/im);
    const { emails } = await call('search_emails', { query: 'in:sent subject:One' });
    assert.equal((emails as { message_id: string }[])[0]?.message_id, sent.message_id);
    const again = await refusal('send_email', { draft_id: draft.draft_id });
    assert.equal(again.code, 'DRAFT_NOT_FOUND');
  });

  test('EMAIL-13 composes and sends in one step', async () => {
    const sent = await call('send_email', { to: 'bob@example.test', subject: 'Two', body: 'Hello', account: 'work' });

    assert.equal(sent.status, 'sent');
    assert.match(String(sent.message_id), /^\d+$/);
    await arrived('bob', 'Two');
    assert.equal(server.folderOf('carol', 'Drafts').length, 0);
    assert.equal(server.folderOf('carol', 'Sent').length, 1);
  });

  test('EMAIL-14 fails with the reason and keeps the draft, which can be sent later, once', async () => {
    const draft = await call('compose_email', {
      account: 'personal',
      to: 'bob@example.test',
      subject: 'Three',
      body: 'x',
    });
    await server.smtp.down();
    const down = await refusal('send_email', { draft_id: draft.draft_id });
    await server.smtp.up();
    server.smtp.reject('bob');
    const rejected = await refusal('send_email', { draft_id: draft.draft_id });
    server.smtp.clear();
    server.smtp.defer('bob');
    const deferred = await refusal('send_email', { draft_id: draft.draft_id });
    server.smtp.clear();

    assert.match(down.message, /Not sent\. The server cannot be reached/);
    assert.match(rejected.message, /does not know this address \(550 5\.1\.1\)/);
    assert.match(deferred.message, /at the moment \(451 4\.3\.0\)/);
    assert.match(down.hint ?? '', new RegExp(`draft is kept: draft_id ${draft.draft_id}`));
    assert.equal(server.folderOf('alice', 'Drafts').length, 1);
    assert.equal((await call('send_email', { draft_id: draft.draft_id })).status, 'sent');
    await arrived('bob', 'Three');
    assert.equal(server.folderOf('bob').filter(({ raw }) => /^Subject: Three$/m.test(raw)).length, 1);
  });

  test('EMAIL-14 in one step fails with the draft that it made', async () => {
    server.smtp.reject('bob');
    const error = await refusal('send_email', { to: 'bob@example.test', subject: 'Four', body: 'x', account: 'work' });
    server.smtp.clear();

    const id = /draft_id (\d+)/.exec(error.hint ?? '')?.[1];
    assert.equal((await call('send_email', { draft_id: id })).status, 'sent');
    await arrived('bob', 'Four');
  });

  test('tells which recipients the server refused', async () => {
    const sent = await call('send_email', {
      to: ['bob@example.test', 'nobody@example.test'],
      subject: 'Five',
      body: 'x',
      account: 'work',
    });

    assert.equal(sent.status, 'sent');
    assert.match(String(sent.reason), /nobody@example\.test: The server does not know this address \(550 5\.1\.1\)/);
  });

  test('with a repeated key sends once, and refuses other content with it', async () => {
    const input = { to: 'bob@example.test', subject: 'Six', body: 'x', account: 'work', idempotency_key: 'k1' };

    const [first, second] = [await call('send_email', input), await call('send_email', input)];
    const other = await refusal('send_email', { ...input, body: 'y' });

    assert.deepEqual([first.status, second.status, second.message_id], ['sent', 'sent', first.message_id]);
    assert.equal(other.code, 'CONFLICT');
    await arrived('bob', 'Six');
    assert.equal(server.folderOf('carol', 'Drafts').length, 0);
    assert.equal(server.folderOf('bob').filter(({ raw }) => /^Subject: Six$/m.test(raw)).length, 1);
  });

  test('takes either a draft or an email', async () => {
    assert.equal((await refusal('send_email', {})).field, 'to');
    assert.equal((await refusal('send_email', { draft_id: '1', subject: 'x' })).field, 'subject');
    assert.equal((await refusal('send_email', { to: 'a@b.test', body: 'x', account: 'work' })).field, 'subject');
    assert.equal((await refusal('send_email', { draft_id: '999999' })).code, 'DRAFT_NOT_FOUND');
  });
});

describe('answering', () => {
  test('EMAIL-15 is a draft to the sender in the thread, with the email quoted', async () => {
    const { message_id: id, thread_id: thread } = await offer();

    const reply = await call('reply_to_email', { message_id: id, body: 'Thanks for the info' });

    assert.deepEqual([reply.to, reply.cc, reply.subject], [['"Bob, B." <bob@example.test>'], undefined, 'Re: Offer']);
    assert.deepEqual([reply.in_reply_to, reply.thread_id], ['m2@example.test', thread]);
    const draft = await parsed('alice', 'Drafts', 'Re: Offer');
    assert.equal(draft.inReplyTo, '<m2@example.test>');
    assert.equal(draft.references, '<m0@example.test> <m1@example.test> <m2@example.test>');
    assert.match(
      draft.text ?? '',
      /^Thanks for the info\n\nOn 2026-11-17 09:30 UTC, "Bob, B\." <bob@example\.test> wrote:\n> Hello Alice,\n> see the file\./,
    );
    const listed = (await call('list_drafts')).drafts as { draft_id: string; thread_id: string }[];
    assert.deepEqual(
      listed.map(({ draft_id, thread_id }) => [draft_id, thread_id]),
      [[reply.draft_id, thread]],
    );
    await call('delete_draft', { draft_id: reply.draft_id });
  });

  test('EMAIL-16 to all leaves out the own addresses and aliases', async () => {
    const { message_id: id } = await offer();

    const reply = await call('reply_to_email', { message_id: id, body: 'Thanks all', reply_all: true });

    assert.deepEqual(reply.to, ['"Bob, B." <bob@example.test>', 'carol@example.test']);
    assert.deepEqual(reply.cc, ['Dave <dave@example.test>']);
    assert.equal((await call('send_email', { draft_id: reply.draft_id })).status, 'sent');
    assert.ok(server.folderOf('alice').some(({ flags }) => flags.includes('\\Answered')));
    assert.match(
      await arrived('dave', 'Re: Offer'),
      /^References: <m0@example\.test> <m1@example\.test> <m2@example\.test>/m,
    );
  });

  test('an email that does not exist is refused', async () => {
    for (const id of ['999999', 'x', 'm2@example.test']) {
      assert.equal((await refusal('reply_to_email', { message_id: id, body: 'x' })).code, 'MESSAGE_NOT_FOUND');
    }
  });
});

describe('forwarding', () => {
  test('is a draft with the email and its files', async () => {
    const { message_id: id } = await offer();

    const forwarded = await call('forward_email', { message_id: id, to: 'bob@example.test', body: 'FYI' });

    assert.equal(forwarded.subject, 'Fwd: Offer');
    const draft = await parsed('alice', 'Drafts', 'Fwd: Offer');
    assert.match(draft.text ?? '', /^FYI\n\n-+ Forwarded message -+\nFrom: "Bob, B\." <bob@example\.test>\n/);
    assert.deepEqual(
      draft.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer).toString()]),
      [['offer.pdf', 'the offer']],
    );
    await call('delete_draft', { draft_id: forwarded.draft_id });
  });
});

describe('changing a draft', () => {
  test('replaces what is given and leaves the rest', async () => {
    const before = await call('compose_email', {
      account: 'personal',
      to: 'bob@example.test',
      subject: 'Draft',
      body: 'Hi **Bob**',
      attachments: ['März.pdf'],
    });

    const renamed = await call('update_draft', {
      draft_id: before.draft_id,
      subject: 'Neuer Entwurf ü',
      cc: 'dave@example.test',
    });
    const afterHeader = await parsed('alice', 'Drafts', 'Neuer Entwurf ü');
    const rewritten = await call('update_draft', { draft_id: renamed.draft_id, body: 'Bye' });
    const afterBody = await parsed('alice', 'Drafts', 'Neuer Entwurf ü');

    assert.deepEqual([renamed.attachments, rewritten.attachments], [['März.pdf'], ['März.pdf']]);
    assert.equal(server.folderOf('alice', 'Drafts').length, 1);
    assert.match(afterHeader.html ?? '', /<strong>Bob<\/strong>/);
    assert.deepEqual(
      afterHeader.cc?.map(({ address }) => address),
      ['dave@example.test'],
    );
    assert.equal(afterBody.text?.trim(), 'Bye');
    assert.equal(afterBody.html, undefined);
    for (const draft of [afterHeader, afterBody]) {
      assert.deepEqual(
        draft.attachments.map(({ filename }) => filename),
        ['März.pdf'],
      );
      assert.deepEqual(
        draft.to?.map(({ address }) => address),
        ['bob@example.test'],
      );
      assert.equal(draft.messageId, `<${before.rfc_message_id}>`);
    }
    assert.equal((await refusal('send_email', { draft_id: before.draft_id })).code, 'DRAFT_NOT_FOUND');
    await call('delete_draft', { draft_id: rewritten.draft_id });
  });

  test('is not needed to send one of another program, which has no Message-ID', async () => {
    const raw = 'From: alice@example.test\r\nTo: bob@example.test\r\nSubject: Foreign\r\n\r\nfrom my phone\r\n';
    server.deliver('alice', raw, { folder: 'Drafts', flags: ['\\Draft'] });
    const draft = await firstDraft();

    const sent = await call('send_email', { draft_id: draft?.draft_id });

    assert.equal(sent.status, 'sent');
    assert.match(await arrived('bob', 'Foreign'), /from my phone/);
    assert.equal(server.folderOf('alice', 'Drafts').length, 0);
  });
});

async function offer(): Promise<{ message_id: string; thread_id: string }> {
  const { emails } = await call('search_emails', { query: 'in:inbox subject:Offer', account: 'personal' });
  const [first] = emails as { message_id: string; thread_id: string }[];
  assert.ok(first);
  return first;
}

/** As soon as it is synchronized. */
async function firstDraft(): Promise<{ draft_id: string } | undefined> {
  for (let attempt = 0; attempt < 1_500; attempt += 1) {
    const [draft] = (await call('list_drafts', { account: 'personal' })).drafts as { draft_id: string }[];
    if (draft) return draft;
    await delay(20);
  }
  return undefined;
}

async function parsed(user: string, folder: string, subject: string): Promise<Email> {
  for (const { raw } of server.folderOf(user, folder)) {
    const email = await PostalMime.parse(Buffer.from(raw, 'latin1'));
    if (email.subject === subject) return email;
  }
  return assert.fail(`no ${subject} in ${folder}`);
}

async function arrived(user: string, subject: string): Promise<string> {
  for (let attempt = 0; attempt < 1_500; attempt += 1) {
    const found = server
      .folderOf(user)
      .find(({ raw }) => raw.includes(`\nSubject: ${subject}\n`) || raw.includes(`\nSubject: ${subject}\r\n`));
    if (found) return found.raw;
    await delay(20);
  }
  return assert.fail(server.log());
}
