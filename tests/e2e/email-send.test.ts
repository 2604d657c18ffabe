import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { emailText, headerField, idOf, startEmailHome } from '../support/email/email-home.ts';

const home = await startEmailHome(
  after,
  {
    personal: { user: 'alice', settings: { from_name: 'Alice' } },
    work: { user: 'bob' },
    readonly: { user: 'dave', cannotSend: true },
  },
  { options: { users: ['alice', 'bob', 'carol', 'dave', 'eve'] } },
);
const { server } = home;
await home.synced();
const mail = await home.client('--only', 'email');
const all = await home.client();

/** The emails of a user with this subject, as the server has them. */
const withSubject = (user: string, subject: string, folder?: string) =>
  server.folderOf(user, folder).filter(({ raw }) => headerField(raw, 'Subject') === subject);

async function arrived(user: string, subject: string) {
  await server.smtp.delivered();
  return withSubject(user, subject);
}

const compose = (subject: string, more: object = {}) =>
  mail.call('compose_email', { to: 'carol@example.test', subject, body: 'See you', account: 'personal', ...more });

describe('send_email', { timeout: 120_000 }, () => {
  test('EMAIL-12 a draft is delivered, is no draft any more, and is among the sent ones once, with the id it returns', async () => {
    const draft = await compose('Draft to send');

    const sent = await mail.call('send_email', { draft_id: draft.draft_id });

    const [received] = await arrived('carol', 'Draft to send');
    assert.partialDeepStrictEqual(sent, {
      status: 'sent',
      account: 'personal',
      to: ['carol@example.test'],
      rfc_message_id: draft.rfc_message_id as string,
    });
    assert.equal(headerField(received?.raw ?? '', 'Message-ID'), `<${draft.rfc_message_id}>`);
    assert.equal(withSubject('alice', 'Draft to send', 'Drafts').length, 0);
    const copies = withSubject('alice', 'Draft to send', 'Sent');
    assert.deepEqual([copies.length, copies[0]?.flags], [1, ['\\Seen']]);
    const read = await mail.call('read_email', { message_id: sent.message_id });
    assert.partialDeepStrictEqual(read, { subject: 'Draft to send', folders: ['Sent'], is_unread: false });
    const again = await mail.refusal('send_email', { draft_id: draft.draft_id });
    assert.equal(again.code, 'DRAFT_NOT_FOUND');
  });

  test('EMAIL-11 EMAIL-12 all recipients get it, and no copy but the own one names the blind ones', async () => {
    const draft = await compose('To all', {
      to: ['carol@example.test', 'Bob <bob@example.test>'],
      cc: 'dave@example.test',
      bcc: ['eve@example.test'],
    });

    await mail.call('send_email', { draft_id: draft.draft_id });

    for (const user of ['carol', 'bob', 'dave', 'eve']) {
      const [received, ...more] = await arrived(user, 'To all');
      assert.equal(more.length, 0, user);
      assert.equal(headerField(received?.raw ?? '', 'To'), '<carol@example.test>, Bob <bob@example.test>');
      assert.equal(headerField(received?.raw ?? '', 'Cc'), '<dave@example.test>');
      assert.doesNotMatch(
        received?.raw.replaceAll(/^(?:Envelope-to|Delivered-To|\s+for|X-Original-To).*$/gim, '') ?? '',
        /bcc|eve@/i,
      );
    }
    const [copy] = withSubject('alice', 'To all', 'Sent');
    assert.equal(headerField(copy?.raw ?? '', 'Bcc'), '<eve@example.test>', 'as mail programs keep it');
  });

  test('EMAIL-13 composes and sends in one step, by MCP, REST and the command line', async () => {
    const note = (subject: string) => ({
      to: 'carol@example.test',
      subject,
      body: 'See you tomorrow',
      account: 'personal',
    });

    const answers = [
      await mail.call('send_email', note('One step by MCP')),
      (await home.rest('POST', '/emails/send', note('One step by REST'))).body,
      await home.json(
        'email',
        'send',
        '--to',
        'carol@example.test',
        '--subject',
        'One step by command',
        '--body',
        'x',
        '--account',
        'personal',
      ),
    ];

    for (const [index, by] of ['MCP', 'REST', 'command'].entries()) {
      const subject = `One step by ${by}`;
      assert.equal((await arrived('carol', subject)).length, 1);
      assert.equal(answers[index]?.status, 'sent', JSON.stringify(answers[index]));
      assert.match(String(answers[index]?.message_id), /^\d+$/);
      assert.deepEqual(
        [withSubject('alice', subject, 'Sent').length, withSubject('alice', subject, 'Drafts').length],
        [1, 0],
      );
    }
  });

  test('EMAIL-13 an email to another own account arrives there, and is answered in the thread', async () => {
    const sent = await mail.call('send_email', {
      to: 'bob@example.test',
      subject: 'Between own accounts',
      body: 'Ping',
      account: 'personal',
    });
    await arrived('bob', 'Between own accounts');
    await home.synced();

    const received = await idOf(mail, 'subject:"Between own accounts" account:work in:inbox');
    const reply = await mail.call('reply_to_email', { message_id: received, body: 'Pong' });
    const answered = await mail.call('send_email', { draft_id: reply.draft_id });
    const [back] = await arrived('alice', 'Re: Between own accounts');

    assert.equal(answered.status, 'sent');
    assert.equal(headerField(back?.raw ?? '', 'In-Reply-To'), `<${sent.rfc_message_id}>`);
    assert.equal(headerField(back?.raw ?? '', 'References'), `<${sent.rfc_message_id}>`);
    const [original] = withSubject('bob', 'Between own accounts');
    assert.ok(original?.flags.includes('\\Answered'));
    await home.synced();
    const first = await mail.call('read_email', { message_id: sent.message_id });
    const last = await mail.call('read_email', { message_id: await idOf(mail, 'pong account:personal in:inbox') });
    assert.equal(last.thread_id, first.thread_id);
  });

  test('EMAIL-12 the same draft sent by several clients at once is sent once', async () => {
    const draft = await compose('At once');

    const answers = await Promise.all([
      mail.rpc('tools/call', { name: 'send_email', arguments: { draft_id: draft.draft_id } }),
      all.rpc('tools/call', { name: 'send_email', arguments: { draft_id: draft.draft_id } }),
      home.rest('POST', '/emails/send', { draft_id: draft.draft_id }),
    ]);
    await server.smtp.delivered();

    assert.match(JSON.stringify(answers), /"status":"sent"/);
    assert.deepEqual([withSubject('carol', 'At once').length, withSubject('alice', 'At once', 'Sent').length], [1, 1]);
    assert.equal(withSubject('alice', 'At once', 'Drafts').length, 0);
  });

  test('EMAIL-13 a repeated idempotency key sends once, also from another session; other content is refused', async () => {
    const note = {
      to: 'carol@example.test',
      subject: 'With a key',
      body: 'x',
      account: 'personal',
      idempotency_key: 'k-1',
    };

    const [first, second] = [await mail.call('send_email', note), await all.call('send_email', note)];
    const other = await mail.refusal('send_email', { ...note, body: 'something else' });
    await server.smtp.delivered();

    assert.deepEqual([second.outbox_id, second.status], [first.outbox_id, 'sent']);
    assert.deepEqual([other.code, other.field], ['CONFLICT', 'idempotency_key']);
    assert.deepEqual(
      [withSubject('carol', 'With a key').length, withSubject('alice', 'With a key', 'Sent').length],
      [1, 1],
    );
    assert.equal(withSubject('alice', 'With a key', 'Drafts').length, 0, 'nothing is left behind');

    await all.call('update_emails', { action: 'trash', message_ids: first.message_id });
    const third = await mail.call('send_email', note);

    assert.deepEqual([third.outbox_id, third.status], [first.outbox_id, 'sent']);
    assert.equal(withSubject('carol', 'With a key').length, 1);
    assert.equal(withSubject('alice', 'With a key', 'Drafts').length, 0, 'also if the copy has left its folder');
  });

  test('EMAIL-12 a draft of another mail program is sent as it is', async () => {
    const raw = emailText({
      subject: 'Written elsewhere',
      from: 'alice@example.test',
      to: 'carol@example.test',
      body: 'By hand',
    });
    server.deliver('alice', raw, { folder: 'Drafts', flags: ['\\Draft', '\\Seen'] });
    await home.synced();
    const { drafts } = await all.call('list_drafts', { account: 'personal' });
    const draft = (drafts as JsonObject[]).find(({ subject }) => subject === 'Written elsewhere');

    const sent = await mail.call('send_email', { draft_id: draft?.draft_id });

    const [received] = await arrived('carol', 'Written elsewhere');
    assert.equal(sent.status, 'sent');
    assert.match(received?.raw ?? '', /By hand/);
    assert.equal(withSubject('alice', 'Written elsewhere', 'Drafts').length, 0);
  });

  test('EMAIL-12 a draft that is changed meanwhile is sent as it is then', async () => {
    const draft = await compose('Before', { bcc: 'eve@example.test' });

    const changed = await all.call('update_draft', {
      draft_id: draft.draft_id,
      subject: 'After',
      to: 'dave@example.test',
      bcc: [],
    });
    await mail.call('send_email', { draft_id: changed.draft_id });

    assert.equal((await arrived('dave', 'After')).length, 1);
    assert.deepEqual([withSubject('carol', 'After').length, withSubject('eve', 'After').length], [0, 0]);
    assert.equal(withSubject('alice', 'Before', 'Drafts').length, 0);
  });

  test('EMAIL-13 attachments go along: from the folder for them, and as content; none from elsewhere', async () => {
    const folder = join(home.home, 'attachments');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'plan.txt'), 'the plan');
    const content = { name: 'data.bin', content_base64: Buffer.from([0, 1, 2, 255]).toString('base64') };

    await mail.call('send_email', {
      to: 'carol@example.test',
      subject: 'Files',
      body: 'x',
      account: 'personal',
      attachments: ['plan.txt', content],
    });
    const secret = await mail.refusal('send_email', {
      to: 'carol@example.test',
      subject: 'Stolen',
      body: 'x',
      account: 'personal',
      attachments: ['../config.yaml'],
    });

    const [received] = await arrived('carol', 'Files');
    assert.match(received?.raw ?? '', /filename="?plan\.txt/);
    assert.ok(received?.raw.includes(content.content_base64));
    assert.deepEqual([secret.code, secret.field?.split('.')[0]], ['FORBIDDEN', 'attachments']);
    assert.equal(withSubject('alice', 'Stolen', 'Drafts').length, 0);
  });

  test('EMAIL-12 what cannot be sent is refused before anything happens', async () => {
    const { draft_id: draft } = await compose('In one account');
    const cases: Record<string, [object, string, string]> = {
      'no such draft': [{ draft_id: 'draft123' }, 'DRAFT_NOT_FOUND', 'draft_id'],
      'nothing given': [{}, 'VALIDATION_ERROR', 'to'],
      'no subject': [{ to: 'carol@example.test', body: 'x', account: 'personal' }, 'VALIDATION_ERROR', 'subject'],
      'both ways': [{ draft_id: '1', to: 'carol@example.test' }, 'VALIDATION_ERROR', 'to'],
      'an account without a server for it': [
        { to: 'carol@example.test', subject: 'x', body: 'x', account: 'readonly' },
        'VALIDATION_ERROR',
        'account',
      ],
      'a draft of another account': [{ draft_id: draft, account: 'work' }, 'VALIDATION_ERROR', 'account'],
    };
    const before = server.folderOf('dave', 'Drafts').length;

    for (const [name, [input, code, field]] of Object.entries(cases)) {
      const refused = await mail.refusal('send_email', input);
      assert.deepEqual([refused.code, refused.field], [code, field], name);
    }
    assert.equal(server.folderOf('dave', 'Drafts').length, before, 'no draft that cannot be sent');
    assert.equal((await mail.call('send_email', { draft_id: draft, account: 'personal' })).status, 'sent');
  });
});
