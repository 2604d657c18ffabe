import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { smtp } from '../../src/connectors/imap/smtp/index.ts';
import { sendEmail } from '../../src/connectors/imap/smtp/send.ts';
import { TIMEOUTS } from '../../src/connectors/imap/smtp/session.ts';
import type { DraftContent, MailServer as MailServerSettings } from '../../src/connectors/mail-connector.ts';
import { type MailServer, startMailServer } from '../support/email/mail-server.ts';
import type { MailServerOptions } from '../support/email/mail-server-options.ts';

const signal = new AbortController().signal;
const draft: DraftContent = {
  rfcMessageId: 'sent.1@example.test',
  date: Date.UTC(2026, 10, 17, 9, 30, 5),
  from: { name: 'Alice', address: 'alice@example.test' },
  to: [{ name: 'Bob', address: 'bob@example.test' }],
  cc: [{ name: '', address: 'carol@example.test' }],
  bcc: [],
  subject: 'Grüße',
  text: '.\r\n..hidden\r\nEnd',
  references: [],
  attachments: [{ name: 'März.bin', mime: 'application/x-test', content: Buffer.alloc(300_000, 7) }],
};

describe('Exim', async () => {
  const server = await startMailServer({ users: ['alice', 'bob', 'carol', 'dave'] });
  after(() => server.stop());
  const credentials = { user: 'alice@example.test', password: server.user('alice').password };
  const ways: Record<string, MailServerSettings> = {
    'TLS from the beginning': { host: 'localhost', port: server.ports.smtps, tls: true, ca: server.ca.pem },
    STARTTLS: { host: '127.0.0.1', port: server.ports.smtp, tls: 'starttls', ca: server.ca.pem },
  };
  const [secure] = Object.values(ways);
  assert.ok(secure);

  async function send(settings: MailServerSettings, recipients: readonly string[], rfcMessageId = draft.rfcMessageId) {
    const content = await smtp.build({ ...draft, rfcMessageId });
    return smtp.send(settings, credentials, { from: 'alice@example.test', recipients, content, signal });
  }

  for (const [name, settings] of Object.entries(ways)) {
    test(`delivers to all recipients over ${name}, and no copy names the blind one`, async () => {
      const id = `${settings.port}@example.test`;

      const outcome = await send(settings, ['bob@example.test', 'carol@example.test', 'dave@example.test'], id);

      assert.deepEqual(outcome, { kind: 'sent', refused: [] });
      for (const user of ['bob', 'carol', 'dave']) {
        const raw = await arrived(server, user, id);
        assert.doesNotMatch(raw, /dave|^bcc:/im);
        const email = await PostalMime.parse(Buffer.from(raw, 'latin1'));
        assert.equal(email.subject, 'Grüße');
        assert.equal(email.text?.trim().replaceAll('\r\n', '\n'), '.\n..hidden\nEnd');
        assert.deepEqual(Buffer.from(email.attachments[0]?.content as ArrayBuffer), Buffer.alloc(300_000, 7));
      }
    });
  }

  test('can be checked by signing in', async () => {
    for (const settings of Object.values(ways)) await smtp.checkSending(settings, credentials, signal);

    const wrong = { ...credentials, password: 'wrong' };
    await assert.rejects(smtp.checkSending(secure, wrong, signal), { name: 'MailError', kind: 'rejected' });
  });

  test('refuses one recipient and takes the email for the other', async () => {
    const outcome = await send(secure, ['bob@example.test', 'nobody@example.test']);

    assert.deepEqual(outcome, {
      kind: 'sent',
      refused: [{ address: 'nobody@example.test', reason: 'The server does not know this address (550 5.1.1).' }],
    });
  });

  test('refuses all: nothing was sent', async () => {
    server.smtp.reject('bob');
    const rejected = await send(secure, ['bob@example.test']);
    server.smtp.clear();
    server.smtp.defer('bob');
    const deferred = await send(secure, ['bob@example.test']);
    server.smtp.clear();
    const relayed = await send(secure, ['someone@elsewhere.test']);

    assert.deepEqual(
      [rejected, deferred, relayed].map((each) => each.kind === 'not-sent' && [each.retry, each.reason]),
      [
        [false, 'The server does not know this address (550 5.1.1).'],
        [true, 'The server does not accept email for this address at the moment (451 4.3.0).'],
        [false, 'The server does not send to other domains for this account (550 5.7.1).'],
      ],
    );
  });

  test('refuses all of several: each is named with its reason, and one that is deferred can be tried again', async () => {
    server.smtp.defer('bob');
    const outcome = await send(secure, ['nobody@example.test', 'bob@example.test']);
    server.smtp.clear();

    assert.partialDeepStrictEqual(outcome, {
      kind: 'not-sent',
      reason:
        'nobody@example.test: The server does not know this address (550 5.1.1). bob@example.test: The server does not accept email for this address at the moment (451 4.3.0).',
      retry: true,
    });
  });

  test('gets nothing from a client that does not know its certificate', async () => {
    for (const { ca: _, ...settings } of Object.values(ways)) {
      const outcome = await send(settings, ['bob@example.test']);

      assert.equal(outcome.kind === 'not-sent' && outcome.retry, false);
      assert.match(outcome.kind === 'not-sent' ? outcome.reason : '', /certificate of the server is not trusted/);
    }
  });

  test('gets nothing from a client that expects TLS at a port without it', async () => {
    const outcome = await send({ ...secure, port: server.ports.smtp }, ['bob@example.test']);

    assert.equal(outcome.kind === 'not-sent' && outcome.retry, false);
    assert.match(outcome.kind === 'not-sent' ? outcome.reason : '', /check `port` and `tls`/);
  });

  test('is down, or hangs: nothing was sent, and a later attempt succeeds', async () => {
    await server.smtp.down();
    const down = await send(secure, ['bob@example.test']);
    await server.smtp.up();
    server.smtp.hang();
    const hanging = await sendEmail(
      { ...secure, port: server.ports.smtp, tls: 'starttls' },
      credentials,
      { from: 'alice@example.test', recipients: ['bob@example.test'], content: await smtp.build(draft), signal },
      { ...TIMEOUTS, greetingMs: 200 },
    );
    server.smtp.unhang();
    const again = await send(secure, ['bob@example.test']);

    assert.deepEqual(
      [down, hanging].map((each) => each.kind === 'not-sent' && each.retry),
      [true, true],
    );
    assert.equal(again.kind, 'sent');
  });
});

const CERTIFICATES: [MailServerOptions['certificate'], RegExp][] = [
  ['expired', /has expired/],
  ['wrong-name', /is of another server/],
];
for (const [certificate, reason] of CERTIFICATES) {
  test(`a certificate that is ${certificate} ends the sign-in before the password, over both kinds of TLS`, async (t) => {
    const server = await startMailServer({ ...(certificate && { certificate }) });
    t.after(() => server.stop());
    const { address: user, password } = server.user('alice');

    for (const [port, tls] of [
      [server.ports.smtps, true],
      [server.ports.smtp, 'starttls'],
    ] as const) {
      await assert.rejects(
        smtp.checkSending({ host: server.host, port, tls, ca: server.ca.pem }, { user, password }, signal),
        { name: 'MailError', kind: 'rejected', message: reason },
      );
    }
  });
}

/** Exim delivers after it has answered. */
async function arrived(server: MailServer, user: string, rfcMessageId: string): Promise<string> {
  for (let attempt = 0; attempt < 3_000; attempt += 1) {
    const found = server.folderOf(user).find(({ raw }) => raw.includes(`<${rfcMessageId}>`));
    if (found) return found.raw;
    await delay(20);
  }
  return assert.fail(server.log());
}
