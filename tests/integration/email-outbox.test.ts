import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../src/domain/json.ts';
import { EMAIL_PROGRAM, startEmailProgram as start } from '../support/email/email-program.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { type SmtpScript, startScriptedSmtpServer } from '../support/email/scripted-smtp-server.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startMailServer({ users: ['alice', 'bob'] });
after(() => server.stop());
const folder = temporaryFolder(after);

type Program = Awaited<ReturnType<typeof start>>;

test('a held email is sent as it was submitted, or not at all', async () => {
  const home = join(folder, 'held');
  const program = await startProgram(
    home,
    server,
    { a: { user: 'alice' } },
    {
      configuration: { policy: { send: 'hold' } },
    },
  );
  const { call, refusal } = program;
  const compose = (subject: string) => call('compose_email', { to: 'bob@example.test', subject, body: 'x' });
  const [first, second] = [await compose('Held'), await compose('Changed')];

  const held = await call('send_email', { draft_id: first.draft_id });
  const again = await call('send_email', { draft_id: first.draft_id });
  const changed = await call('send_email', { draft_id: second.draft_id });
  await call('update_draft', { draft_id: second.draft_id, body: 'Something else' });
  const shown = await command(home, 'outbox', 'show', String(held.outbox_id));
  const approved = await command(home, 'outbox', 'approve', String(held.outbox_id));
  const refused = await command(home, 'outbox', 'approve', String(changed.outbox_id));

  assert.deepEqual([held.status, again.outbox_id, changed.status], ['held', held.outbox_id, 'held']);
  assert.deepEqual(shown.details, { subject: 'Held', to: 'bob@example.test' });
  assert.equal(approved.state, 'sent');
  assert.equal(refused.state, 'failed');
  assert.match(String(refused.reason), /changed after it had been submitted/);
  assert.equal(server.folderOf('alice', 'Drafts').length, 1);
  assert.equal((await refusal('send_email', { draft_id: first.draft_id })).code, 'DRAFT_NOT_FOUND');
});

test('under the careful policy an answer leaves, and what goes to others than the sender waits', async () => {
  const mail = (id: string, more: string) =>
    `From: Bob <bob@example.test>\r\nTo: alice@example.test\r\n${more}Subject: ${id}\r\nMessage-ID: <${id}@x.test>\r\n\r\nHello\r\n`;
  server.deliver('alice', mail('asked', ''));
  const program = await startProgram(
    join(folder, 'careful'),
    server,
    { a: { user: 'alice' } },
    { configuration: { policy: { send: 'careful' } } },
  );
  const { call } = program;
  const id = await idOf(program, 'subject:asked');

  const answer = await call('reply_to_email', { message_id: id, body: 'Yes' });
  const answered = await call('send_email', { draft_id: answer.draft_id });
  const copied = await call('reply_to_email', { message_id: id, body: 'Yes', cc: 'carol@example.test' });
  const withCopy = await call('send_email', { draft_id: copied.draft_id });
  const other = await call('send_email', { to: 'carol@example.test', subject: 'x', body: 'x' });

  assert.deepEqual([answered.status, withCopy.status, other.status], ['sent', 'held', 'held']);
});

test('an account that is not connected is said so, and connects again', async () => {
  const program = await startProgram(join(folder, 'offline'), server, { a: { user: 'alice' } });
  const { call, refusal } = program;
  const input = { to: 'bob@example.test', subject: 'Offline', body: 'x' };
  const draft = await call('compose_email', input);
  await server.imap.down();
  const composing = await refusal('compose_email', input);
  const sending = await refusal('send_email', { draft_id: draft.draft_id });
  await server.imap.up();

  assert.match(composing.code, /^(?:SERVICE_UNAVAILABLE|NETWORK_ERROR)$/);
  assert.match(sending.code, /^(?:SERVICE_UNAVAILABLE|NETWORK_ERROR)$/);
  assert.equal((await connected(program, draft.draft_id)).status, 'sent');
});

test('an email with an unknown outcome is not sent again, until a copy shows that it was sent', async () => {
  const { program, smtp, home } = await startWith('unknown', { content: 'cut' });
  const draft = await program.call('compose_email', { to: 'bob@example.test', subject: 'Unknown', body: 'x' });

  const first = await program.call('send_email', { draft_id: draft.draft_id });
  const second = await program.call('send_email', { draft_id: draft.draft_id });
  const [waiting] = server.folderOf('alice', 'Drafts').filter(({ raw }) => raw.includes(String(draft.rfc_message_id)));
  server.deliver('alice', Buffer.from(waiting?.raw ?? '', 'latin1'), { folder: 'Sent' });
  const retried = await command(home, 'outbox', 'retry', String(first.outbox_id));

  assert.deepEqual([first.status, second.status, second.outbox_id], ['uncertain', 'uncertain', first.outbox_id]);
  assert.equal(retried.state, 'sent');
  assert.equal(smtp.lines.filter((line) => line === 'DATA').length, 1);
});

test('a program that is killed while the server has the email does not send it again', async () => {
  const { program, smtp, home, accounts } = await startWith('killed', { content: 'never' });
  const draft = await program.call('compose_email', { to: 'bob@example.test', subject: 'Killed', body: 'x' });
  const arrived = smtp.received('content');

  const sending = program.call('send_email', { draft_id: draft.draft_id }).catch(() => undefined);
  await arrived;
  program.signal('SIGKILL');
  await Promise.all([program.ended(), sending]);
  const next = await startProgram(home, server, accounts);
  const status = await next.call('send_email', { draft_id: draft.draft_id });

  assert.equal(status.status, 'uncertain');
  assert.equal(smtp.lines.filter((line) => line === 'DATA').length, 1);
});

/** The id of the first email that matches, once it is synchronized. */
async function idOf({ call }: Program, query: string): Promise<string> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const { emails } = await call('search_emails', { query });
    const [email] = emails as { message_id: string }[];
    if (email) return email.message_id;
    await delay(20);
  }
  return assert.fail(server.log());
}

/** The result of sending, once the account is connected again. */
async function connected(program: Program, id: unknown): Promise<JsonObject> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const result = await program.call('send_email', { draft_id: id }).catch(() => undefined);
    if (result) return result;
    await delay(100);
  }
  return assert.fail(server.log());
}

/** It is stopped at the end. */
async function startProgram(...args: Parameters<typeof start>): Promise<Program> {
  const program = await start(...args);
  after(() => program.stop());
  return program;
}

async function startWith(name: string, script: SmtpScript) {
  const home = join(folder, name);
  const smtp = await startScriptedSmtpServer(script);
  after(() => smtp.stop());
  const settings = { smtp: { host: '127.0.0.1', port: smtp.port, tls: false } };
  const accounts = { a: { user: 'alice', settings } };
  return { program: await startProgram(home, server, accounts), smtp, home, accounts };
}

async function command(home: string, ...args: string[]): Promise<JsonObject> {
  const { stdout, stderr } = await runProgram([...args, '--json'], { home, main: EMAIL_PROGRAM });
  return JSON.parse(stdout || stderr) as JsonObject;
}
