import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { emailText, headerField, startEmailHome, subjectsOf } from '../support/email/email-home.ts';
import { until } from '../support/mcp/shim-program.ts';

const home = await startEmailHome(
  after,
  { work: { user: 'alice' }, personal: { user: 'bob' } },
  { options: { users: ['alice', 'bob', 'carol'] } },
);
const { server } = home;
await home.synced();
const mail = await home.client('--only', 'email');

const withSubject = (user: string, subject: string, folder?: string) =>
  server.folderOf(user, folder).filter(({ raw }) => headerField(raw, 'Subject') === subject);

const note = (subject: string) => ({ to: 'carol@example.test', subject, body: 'x', account: 'work' });

async function compose(subject: string): Promise<string> {
  return String((await mail.call('compose_email', note(subject))).draft_id);
}

/** How often it is at the recipient, among the sent ones and among the drafts. */
async function counts(subject: string): Promise<number[]> {
  await server.smtp.delivered();
  return [
    withSubject('carol', subject).length,
    withSubject('alice', subject, 'Sent').length,
    withSubject('alice', subject, 'Drafts').length,
  ];
}

const ONCE = [1, 1, 0];
const KEPT = [0, 0, 1];

interface Fault {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  reason: RegExp;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'is down': {
    begin: server.smtp.down,
    end: server.smtp.up,
    reason: /cannot be reached|refused the connection|not reachable/i,
  },
  'rejects the recipient (550)': {
    begin: () => server.smtp.reject('carol'),
    end: server.smtp.clear,
    reason: /carol@example\.test|address/i,
  },
  'defers the recipient (451)': {
    begin: () => server.smtp.defer('carol'),
    end: server.smtp.clear,
    reason: /try again later|at the moment|for now/i,
  },
};

describe('when the server for sending fails', { timeout: 240_000 }, () => {
  afterEach(async () => {
    server.smtp.unhang();
    server.smtp.clear();
    await server.smtp.up();
  });

  for (const [what, { begin, end, reason }] of Object.entries(FAULTS)) {
    test(`EMAIL-14 ${what}: the error says why, the draft is kept, and is sent once later`, async () => {
      const subject = `It ${what}`;
      const draft = await compose(subject);
      await begin();

      const failed = await mail.refusal('send_email', { draft_id: draft });
      const meanwhile = await counts(subject);
      const byRest = await home.rest('POST', '/emails/send', { draft_id: draft });
      const byCommand = await home.command('email', 'send', '--draft-id', draft);
      await end();
      const sent = await mail.call('send_email', { draft_id: draft });

      assert.match(failed.message, reason);
      assert.doesNotMatch(failed.message, /ECONN|Exim|unrouteable|rejected by/i, 'in our own words');
      assert.match(failed.hint ?? '', new RegExp(`draft is kept: draft_id ${draft}`));
      assert.deepEqual(meanwhile, KEPT);
      assert.equal((byRest.body.error as JsonObject).code, failed.code);
      assert.equal(byCommand.code, 1);
      assert.match(byCommand.stderr, reason);
      assert.equal(sent.status, 'sent');
      assert.deepEqual(await counts(subject), ONCE);
    });

    test(`EMAIL-14 ${what}: an email in one step is kept as a draft, which can be sent`, async () => {
      const subject = `In one step: it ${what}`;
      await begin();

      const failed = await mail.refusal('send_email', note(subject));
      const meanwhile = await counts(subject);
      await end();
      const [, draft] = /draft_id (\d+)/.exec(failed.hint ?? '') ?? [];
      const sent = await mail.call('send_email', { draft_id: draft });

      assert.deepEqual(meanwhile, KEPT);
      assert.equal(sent.status, 'sent');
      assert.deepEqual(await counts(subject), ONCE);
    });
  }

  test('EMAIL-14 a repeated call with the same key after a failure sends once', async () => {
    const keyed = { ...note('With a key'), idempotency_key: 'after-a-failure' };
    await server.smtp.down();
    await mail.refusal('send_email', keyed);
    await server.smtp.up();

    const answers = [await mail.call('send_email', keyed), await mail.call('send_email', keyed)];

    assert.deepEqual(
      answers.map(({ status }) => status),
      ['sent', 'sent'],
    );
    assert.deepEqual(await counts('With a key'), ONCE);
  });

  test('EMAIL-14 one of two recipients is refused: the answer says which, and the other gets it', async () => {
    server.smtp.reject('carol');

    const sent = await mail.call('send_email', {
      ...note('For one of two'),
      to: ['bob@example.test', 'carol@example.test'],
    });

    assert.equal(sent.status, 'sent');
    assert.match(String(sent.reason), /carol@example\.test/);
    await server.smtp.delivered();
    assert.deepEqual(
      [withSubject('bob', 'For one of two').length, withSubject('carol', 'For one of two').length],
      [1, 0],
    );
  });

  test('EMAIL-14 all of several recipients are refused: the error names each, and nobody gets it', async () => {
    server.smtp.reject('carol', 'bob');

    const to = ['bob@example.test', 'carol@example.test'];
    const failed = await mail.refusal('send_email', { ...note('For nobody'), to });

    assert.match(failed.message, /bob@example\.test: .*carol@example\.test: /);
    assert.deepEqual(await counts('For nobody'), KEPT);
  });

  test('EMAIL-14 hangs: it is not said to be sent, the draft is kept, and it is sent once when the server is back', async () => {
    const draft = await compose('It hangs');
    server.smtp.hang();

    const queued = await mail.call('send_email', { draft_id: draft });
    const meanwhile = [withSubject('carol', 'It hangs').length, withSubject('alice', 'It hangs', 'Drafts').length];
    const again = await mail.call('send_email', { draft_id: draft });
    server.smtp.unhang();
    const { outbox_id: item } = queued;
    await until('it is sent', async () => (await home.rest('GET', `/outbox/${item}`)).body.state === 'sent');

    assert.deepEqual([queued.status, queued.draft_id, again.outbox_id], ['queued', draft, item]);
    assert.deepEqual(meanwhile, [0, 1]);
    assert.deepEqual(await counts('It hangs'), ONCE);
  });
});

describe('when the server for reading fails', { timeout: 240_000 }, () => {
  afterEach(() => server.imap.up());

  const isConnected = async (account: string) =>
    ((await mail.call('list_accounts')).accounts as JsonObject[]).find(({ id }) => id === account)?.is_connected !==
    false;

  test('EMAIL-20 sessions that are kicked are opened again, and what arrived meanwhile is found', async () => {
    server.imap.kick('alice');
    server.deliver('alice', emailText({ subject: 'While kicked' }));

    await until(
      'it is found',
      async () => subjectsOf(await mail.call('search_emails', { query: 'kicked' })).length === 1,
    );
    const draft = await compose('After the kick');

    assert.match(draft, /^\d+$/);
  });

  test('EMAIL-20 kicked while it sends: it is sent once', async () => {
    const draft = await compose('Kicked while it sends');

    const sending = mail.rpc('tools/call', { name: 'send_email', arguments: { draft_id: draft } });
    server.imap.kick('alice');
    await sending;
    await home.synced();
    await mail.rpc('tools/call', { name: 'send_email', arguments: { draft_id: draft } });

    assert.equal((await counts('Kicked while it sends'))[0], 1);
  });

  test('EMAIL-20 down: stored mail is found and read, and what needs the server says so', async () => {
    server.deliver('alice', emailText({ subject: 'Stored before', body: 'Readable' }));
    await home.synced();
    const [email] = (await mail.call('search_emails', { query: 'subject:"Stored before"' })).emails as {
      message_id: string;
    }[];
    await server.imap.down();
    await until('the accounts are offline', async () => !(await isConnected('work')));

    const read = await mail.call('read_email', { message_id: email?.message_id });
    const refused = [
      await mail.refusal('compose_email', note('While down')),
      await mail.refusal('mark_read', { message_ids: email?.message_id }),
      await mail.refusal('delete_email', { message_ids: email?.message_id }),
    ];
    const sync = await home.command('email', 'sync');
    await server.imap.up();
    await until('the account is back', () => isConnected('work'));
    const marked = await mail.call('mark_read', { message_ids: email?.message_id });

    assert.match(String(read.body), /Readable/);
    for (const { code, message } of refused) {
      assert.equal(code, 'SERVICE_UNAVAILABLE');
      assert.match(message, /'work' is not connected/);
    }
    assert.equal(sync.code, 1);
    assert.equal(marked.updated, 1);
    assert.ok(withSubject('alice', 'Stored before')[0]?.flags.includes('\\Seen'));
  });
});
