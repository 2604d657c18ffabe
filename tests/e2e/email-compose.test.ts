import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import {
  emailText,
  headerField as field,
  idOf,
  openEmailHome,
  type SampleEmail,
  startEmailHome,
} from '../support/email/email-home.ts';

const home = await startEmailHome(
  after,
  {
    'abc-123': {
      user: 'alice',
      settings: { name: 'dev', from_name: 'Alice A.', aliases: ['al@other.test', '*@alices.test'] },
    },
    gmail: { user: 'bob', settings: { name: 'work-gmail' } },
    office: { user: 'carol', settings: { name: 'work-imap' } },
  },
  { options: { users: ['alice', 'bob', 'carol'] } },
);
const { server } = home;
const deliver = (email: SampleEmail) => server.deliver('alice', emailText(email));

deliver({
  subject: 'Question',
  from: '"Lee, Ann" <ann@shop.test>',
  id: 'question@shop.test',
  header: ['References: <first@shop.test> <second@shop.test>', 'Date: Tue, 10 Nov 2026 12:00:00 +0000'],
  body: 'What do you think?\r\n\r\nAnn',
});
deliver({ subject: 'Re: Again', from: 'ann@shop.test', header: ['Reply-To: Desk <desk@shop.test>'] });
deliver({
  subject: 'To many',
  from: 'Ann <ann@shop.test>',
  to: '"A, Alice" <ALICE@example.test>, "B, Bob" <bob@example.test>, al@other.test, any@alices.test',
  header: ['Cc: Carl <carl@far.test>, Alice <alice@example.test>, ann@shop.test'],
});
deliver({ subject: 'To nobody', from: 'Ann <ann@shop.test>', to: 'Undisclosed Recipients' });
deliver({ subject: 'Undelivered', from: 'MAILER-DAEMON (Mail Delivery System)' });
server.deliver('alice', emailText({ subject: 'My own', from: 'alice@example.test', to: 'zoe@elsewhere.test' }), {
  folder: 'Sent',
  flags: ['\\Seen'],
});
server.deliver('bob', emailText({ subject: 'For Bob alone', to: 'bob@example.test', from: 'zoe@elsewhere.test' }));
await home.synced();
const mail = await home.client('--only', 'email');
const all = await home.client();

const DRAFT = { to: 'joe@example.com', subject: 'Hello', body: 'Hi Joe' };

/** The draft on the server whose text contains this. */
function draftOn(user: string, text: string) {
  const found = server.folderOf(user, 'Drafts').filter(({ raw }) => raw.includes(text));
  assert.equal(found.length, 1, `${found.length} drafts with ${text}`);
  return found[0] ?? assert.fail();
}

describe('compose_email', { timeout: 120_000 }, () => {
  test('EMAIL-09 makes a draft in the account, visible to its other programs, and sends nothing', async () => {
    const draft = await mail.call('compose_email', { ...DRAFT, to: 'bob@example.test', account: 'dev' });
    const { drafts } = await all.call('list_drafts', { account: 'dev' });
    const { raw, flags } = draftOn('alice', 'Hi Joe');

    assert.partialDeepStrictEqual(draft, { account: 'abc-123', subject: 'Hello', to: ['bob@example.test'] });
    assert.equal((drafts as JsonObject[])[0]?.draft_id, draft.draft_id);
    assert.deepEqual([...flags].sort(), ['\\Draft', '\\Seen']);
    assert.deepEqual(
      [field(raw, 'From'), field(raw, 'To'), field(raw, 'Subject'), field(raw, 'Message-ID')],
      ['"Alice A." <alice@example.test>', '<bob@example.test>', 'Hello', `<${draft.rfc_message_id}>`],
    );
    assert.deepEqual([server.folderOf('bob').length, server.folderOf('alice', 'Sent').length], [1, 1]);
  });

  test('EMAIL-09 does so by REST and the command line, too', async () => {
    const byRest = await home.rest('POST', '/emails/drafts', { ...DRAFT, subject: 'By REST', account: 'dev' });
    const options = ['--to', 'a@x.test', '--to', 'b@x.test', '--subject', 'By command', '--account', 'dev'];
    const byCommand = await home.json('email', 'compose', ...options, 'Hi');

    assert.equal(byRest.status, 200);
    assert.match(String(byRest.body.draft_id), /^\d+$/);
    assert.equal(field(draftOn('alice', 'By REST').raw, 'To'), '<joe@example.com>');
    assert.deepEqual(byCommand.to, ['a@x.test', 'b@x.test']);
    assert.equal(field(draftOn('alice', 'By command').raw, 'To'), '<a@x.test>, <b@x.test>');
  });

  test('EMAIL-09 Markdown is text and safe HTML; plain text stays as it is', async () => {
    const body = 'Some **bold** text <script>alert(1)</script> [link](javascript:alert(1))';
    await mail.call('compose_email', { ...DRAFT, subject: 'Formatted', body, account: 'dev' });
    await mail.call('compose_email', { ...DRAFT, subject: 'Unformatted', body, format: 'plain', account: 'dev' });

    const [formatted = '', plain = ''] = [
      draftOn('alice', 'Subject: Formatted').raw,
      draftOn('alice', 'Subject: Unformatted').raw,
    ];
    assert.match(field(formatted, 'Content-Type') ?? '', /^multipart\/alternative/);
    assert.match(formatted, /<strong>bold<\/strong>/);
    const html = formatted.slice(formatted.indexOf('<!doctype'));
    assert.doesNotMatch(html, /<script|href=3D"javascript|href="javascript/i);
    assert.match(field(plain, 'Content-Type') ?? '', /^text\/plain/);
  });

  test('EMAIL-09 no value can start another header', async () => {
    await mail.call('compose_email', {
      ...DRAFT,
      subject: 'Injected\r\nBcc: mallory@evil.test\r\n\r\nbody',
      account: 'dev',
    });
    const address = await mail.refusal('compose_email', {
      ...DRAFT,
      to: 'a@b.test\r\nBcc: m@evil.test',
      account: 'dev',
    });

    const { raw } = draftOn('alice', 'Injected');
    assert.equal(field(raw, 'Bcc'), undefined);
    assert.equal(field(raw, 'Subject'), 'Injected Bcc: mallory@evil.test body');
    assert.deepEqual([address.code, address.field], ['VALIDATION_ERROR', 'to']);
  });

  test('EMAIL-10 with several accounts and none named: an error that lists them', async () => {
    const before = server.folderOf('alice', 'Drafts').length;

    const refused = await mail.refusal('compose_email', DRAFT);
    const sending = await mail.refusal('send_email', DRAFT);
    const rest = await home.rest('POST', '/emails/drafts', DRAFT);

    for (const { code, message, field: named, hint } of [refused, sending]) {
      assert.deepEqual([code, named], ['ACCOUNT_AMBIGUOUS', 'account']);
      assert.match(message, /abc-123 .*dev.*gmail .*work-gmail.*office .*work-imap/);
      assert.match(hint ?? '', /Name one in `account`/);
    }
    assert.equal(rest.status, 409);
    assert.equal(server.folderOf('alice', 'Drafts').length, before);
  });

  test('EMAIL-10 with one account it is the default', async () => {
    const single = await openEmailHome(after, server, { only: { user: 'carol' } });
    const client = await single.client('--only', 'email');

    const draft = await client.call('compose_email', { ...DRAFT, subject: 'By default' });

    assert.equal(draft.account, 'only');
    assert.equal(field(draftOn('carol', 'By default').raw, 'From'), '<carol@example.test>');
  });

  test('EMAIL-11 to, cc and bcc take one address or many, with names and commas', async () => {
    const draft = await mail.call('compose_email', {
      ...DRAFT,
      subject: 'Group email',
      to: ['a@example.com', '"B, Bea" <b@example.com>'],
      cc: 'c@example.com',
      bcc: ['d@example.com', 'Eve <e@example.com>'],
      account: 'dev',
    });
    const inOne = await mail.call('compose_email', {
      ...DRAFT,
      to: 'x@example.com, "Y, Z" <y@example.com>',
      account: 'dev',
    });

    const { raw } = draftOn('alice', 'Group email');
    assert.deepEqual(draft.to, ['a@example.com', '"B, Bea" <b@example.com>']);
    assert.deepEqual([draft.cc, draft.bcc], [['c@example.com'], ['d@example.com', 'Eve <e@example.com>']]);
    assert.deepEqual(
      [field(raw, 'To'), field(raw, 'Cc'), field(raw, 'Bcc')],
      ['<a@example.com>, "B, Bea" <b@example.com>', '<c@example.com>', '<d@example.com>, Eve <e@example.com>'],
    );
    assert.deepEqual(inOne.to, ['x@example.com', '"Y, Z" <y@example.com>']);
  });

  test('EMAIL-11 a draft may be without recipients, but is not sent then', async () => {
    const draft = await mail.call('compose_email', { ...DRAFT, to: [], account: 'dev' });

    const refused = await mail.refusal('send_email', { draft_id: draft.draft_id });

    assert.deepEqual([draft.to, refused.code, refused.field], [[], 'VALIDATION_ERROR', 'to']);
    assert.match(refused.hint ?? '', new RegExp(`draft_id ${draft.draft_id}`));
  });

  for (const [name, to] of Object.entries({ word: 'joe', list: ['a@b.test', 'joe@'], number: 5 })) {
    test(`EMAIL-11 a recipient that is no address is refused by its field: ${name}`, async () => {
      const { code, field: named } = await mail.refusal('compose_email', { ...DRAFT, to, account: 'dev' });

      assert.deepEqual([code, named?.split('.')[0]], ['VALIDATION_ERROR', 'to']);
    });
  }

  test('EMAIL-19 an account is found by id, name, address or a part of one; otherwise the error lists them', async () => {
    const found: unknown[] = [];
    for (const account of ['abc-123', 'dev', 'DEV', 'alice@example.test', 'gmail', 'carol'])
      found.push((await mail.call('compose_email', { ...DRAFT, account })).account);
    const several = await mail.refusal('compose_email', { ...DRAFT, account: 'work' });
    const none = await mail.refusal('compose_email', { ...DRAFT, account: 'unknown' });

    assert.deepEqual(found, ['abc-123', 'abc-123', 'abc-123', 'abc-123', 'gmail', 'office']);
    assert.equal(several.code, 'ACCOUNT_AMBIGUOUS');
    assert.match(several.message, /work-gmail.*work-imap/);
    assert.equal(none.code, 'ACCOUNT_NOT_FOUND');
    assert.match(none.message, /dev.*work-gmail.*work-imap/);
  });
});

describe('reply_to_email', { timeout: 120_000 }, () => {
  test('EMAIL-15 goes to the sender, in the thread, with the original quoted, from the account that got it', async () => {
    const id = await idOf(mail, 'subject:Question');
    const { thread_id: thread } = await mail.call('read_email', { message_id: id });

    const draft = await mail.call('reply_to_email', { message_id: id, body: 'Thanks for the info' });

    const { raw } = draftOn('alice', 'Thanks for the info');
    assert.partialDeepStrictEqual(draft, {
      account: 'abc-123',
      to: ['"Lee, Ann" <ann@shop.test>'],
      subject: 'Re: Question',
      in_reply_to: 'question@shop.test',
      thread_id: thread as string,
    });
    assert.equal(field(raw, 'In-Reply-To'), '<question@shop.test>');
    assert.equal(field(raw, 'References'), '<first@shop.test> <second@shop.test> <question@shop.test>');
    assert.match(raw, /Thanks for the info\s+On .*Ann.* wrote:\r?\n> What do you think\?/s);
    const stored = await mail.call('read_email', { message_id: draft.draft_id });
    assert.equal(stored.thread_id, thread, 'the draft is part of the conversation');
  });

  test('EMAIL-15 goes to Reply-To, keeps one Re:, and can leave out the quote', async () => {
    const id = await idOf(mail, 'subject:Again');

    const draft = await mail.call('reply_to_email', { message_id: id, body: 'No quote', quote: false });

    assert.deepEqual([draft.to, draft.subject], [['Desk <desk@shop.test>'], 'Re: Again']);
    assert.doesNotMatch(draftOn('alice', 'No quote').raw, /wrote:/);
  });

  test('EMAIL-15 by REST and the command line; to an own email it goes to its recipients', async () => {
    const [bobs, own] = [await idOf(mail, 'subject:"For Bob alone"'), await idOf(mail, 'subject:"My own"')];

    const byRest = await home.rest('POST', `/emails/${bobs}/reply`, { body: 'By REST' });
    const byCommand = await home.json('email', 'reply', own, 'One more thing');

    assert.partialDeepStrictEqual(byRest.body, { account: 'gmail', to: ['zoe@elsewhere.test'] });
    assert.partialDeepStrictEqual(byCommand, { account: 'abc-123', to: ['zoe@elsewhere.test'], subject: 'Re: My own' });
  });

  test('EMAIL-15 an unknown email cannot be answered', async () => {
    const { code, field: named } = await mail.refusal('reply_to_email', { message_id: 'invalid', body: 'x' });

    assert.deepEqual([code, named], ['MESSAGE_NOT_FOUND', 'message_id']);
  });

  test('EMAIL-16 reply_all goes to all but the own addresses and aliases, each once', async () => {
    const id = await idOf(mail, 'subject:"To many"');

    const draft = await mail.call('reply_to_email', { message_id: id, body: 'Thanks all', reply_all: true });
    const added = await mail.call('reply_to_email', {
      message_id: id,
      body: 'And you',
      reply_all: true,
      cc: ['carl@far.test', 'new@far.test'],
    });

    assert.deepEqual(
      [draft.to, draft.cc],
      [['Ann <ann@shop.test>', '"B, Bob" <bob@example.test>'], ['Carl <carl@far.test>']],
    );
    assert.deepEqual(added.cc, ['Carl <carl@far.test>', 'new@far.test']);
    assert.equal(field(draftOn('alice', 'Thanks all').raw, 'To'), 'Ann <ann@shop.test>, "B, Bob" <bob@example.test>');
  });

  test('EMAIL-16 what is no address in the email is left out, and the answer says so', async () => {
    const draft = await mail.call('reply_to_email', {
      message_id: await idOf(mail, 'subject:"To nobody"'),
      body: 'Thanks to you',
      reply_all: true,
    });
    const toDaemon = await mail.call('reply_to_email', {
      message_id: await idOf(mail, 'subject:Undelivered'),
      body: 'Why?',
    });

    assert.deepEqual([draft.to, draft.cc], [['Ann <ann@shop.test>'], undefined]);
    assert.match(String(draft.warnings), /left out: "Undisclosed Recipients"\.$/);
    assert.deepEqual(toDaemon.to, []);
    assert.match(String(toDaemon.warnings), /names no address that can be answered/);
  });
});
