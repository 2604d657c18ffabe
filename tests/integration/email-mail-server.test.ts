import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import nodemailer from 'nodemailer';
import { type MailServer, startMailServer } from '../support/email/mail-server.ts';
import type { MailServerOptions } from '../support/email/mail-server-options.ts';

const MAIL = 'From: bob@example.test\r\nTo: alice@example.test\r\nSubject: hello\r\n\r\nText\r\n';

describe('the mail server of the tests', async () => {
  const server = await startMailServer({ users: ['alice', 'bob'] });
  after(() => server.stop());

  test('passes on what is sent', async () => {
    const client = await signIn(server, 'bob');
    await client.mailboxOpen('INBOX');
    const arrived = once(client, 'exists');
    void client.idle();

    const { accepted } = await mailer(server, 'alice').sendMail({
      to: 'bob@example.test',
      subject: 'Hi',
      text: 'Hi Bob',
    });
    await arrived;

    assert.deepEqual(accepted, ['bob@example.test']);
    assert.match(server.folderOf('bob')[0]?.raw ?? '', /^Subject: Hi$/m);
    client.close();
  });

  test('shows what is delivered, with flags and time', async () => {
    server.deliver('alice', MAIL, { folder: 'Größe/"x" y', flags: ['\\Seen'], receivedAt: 1_600_000_000_000 });
    const client = await signIn(server, 'alice');
    await client.mailboxOpen('Größe/"x" y', { readOnly: true });

    const mail = await client.fetchOne('1', { flags: true, internalDate: true, source: true });

    assert.ok(mail);
    assert.deepEqual(mail.flags, new Set(['\\Seen', '\\Recent']));
    assert.equal(new Date(mail.internalDate ?? 0).getTime(), 1_600_000_000_000);
    assert.equal(mail.source?.toString(), MAIL);
    assert.deepEqual(server.folderOf('alice', 'Größe/"x" y'), [{ raw: MAIL, flags: ['\\Seen'] }]);
    client.close();
  });

  test('refuses recipients', async () => {
    server.smtp.reject('bob');
    const refused = await mailer(server, 'alice').sendMail({ to: 'bob@example.test' }).catch(codeOf);
    server.smtp.clear();
    server.smtp.defer('bob');
    const deferred = await mailer(server, 'alice').sendMail({ to: 'bob@example.test' }).catch(codeOf);
    server.smtp.clear();

    assert.deepEqual([refused, deferred], [550, 451]);
  });

  test('goes down and comes up on the same ports', async () => {
    await server.imap.down();
    await server.smtp.down();
    const down = await Promise.all(Object.values(server.ports).map((port) => greeting(server, port)));
    await server.imap.up();
    await server.smtp.up();

    const up = await Promise.all([server.ports.imap, server.ports.smtp].map((port) => greeting(server, port)));

    assert.deepEqual(down, ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
    assert.match(up[0] ?? '', /^\* OK/);
    assert.match(up[1] ?? '', /^220 /);
  });

  test('closes the sessions of a user', async () => {
    const client = await signIn(server, 'alice');
    const closed = once(client, 'close');

    server.imap.kick('alice');
    await closed;

    assert.equal(client.usable, false);
  });

  test('hangs, and answers later', async () => {
    for (const [part, port] of [
      [server.imap, server.ports.imap],
      [server.smtp, server.ports.smtp],
    ] as const) {
      part.hang();
      const socket = connect(port, server.host);
      await once(socket, 'connect');
      const first = once(socket, 'data');
      part.unhang();
      await first;
      socket.destroy();
    }
  });
});

test('a mail server can check access tokens', async (context) => {
  const authority = createServer(async (request, response) => {
    const token = new URLSearchParams(await text(request)).get('token');
    const answer = token === 'good' ? { active: true, username: 'alice@example.test' } : { active: false };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await once(authority.listen(0, '127.0.0.1'), 'listening');
  context.after(() => authority.close());
  const introspectionUrl = `http://127.0.0.1:${(authority.address() as AddressInfo).port}/introspect`;
  const server = await startFor(context, { oauth: { introspectionUrl } });

  const imap = await signIn(server, 'alice', { accessToken: 'good' });
  const refused = await signIn(server, 'alice', { accessToken: 'bad' }).catch((error) => error.authenticationFailed);
  const password = await signIn(server, 'alice');

  const sent = await tokenMailer(server, 'good').sendMail({ to: 'bob@example.test', text: 'Hi' });
  const notSent = await tokenMailer(server, 'bad').sendMail({ to: 'bob@example.test' }).catch(codeOf);

  assert.ok(imap.authenticated);
  assert.equal(refused, true);
  assert.deepEqual(sent.accepted, ['bob@example.test']);
  assert.equal(notSent, 535);
  assert.ok(password.authenticated);
  imap.close();
  password.close();
});

test('a mail server can lack extensions and special folders', async (context) => {
  const without = ['CONDSTORE', 'QRESYNC', 'IDLE', 'MOVE', 'SPECIAL-USE', 'UIDPLUS'] as const;
  const server = await startFor(context, { without, folders: [{ name: 'Papierkorb' }], separator: '.' });

  const client = await signIn(server, 'alice');
  const folders = await client.list();

  assert.deepEqual(
    without.filter((name) => client.capabilities.has(name)),
    [],
  );
  assert.deepEqual(folders.map(({ path }) => path).sort(), ['INBOX', 'Papierkorb']);
  assert.equal(folders[0]?.delimiter, '.');
  client.close();
});

test('a mail server can require STARTTLS', async (context) => {
  const server = await startFor(context, { tls: 'starttls' });

  const plain = await signIn(
    server,
    'alice',
    { pass: 'pw-alice' },
    { port: server.ports.imap, secure: false, doSTARTTLS: false },
  ).catch(() => 'refused');
  const client = await signIn(
    server,
    'alice',
    { pass: 'pw-alice' },
    { port: server.ports.imap, secure: false, doSTARTTLS: true },
  );

  assert.equal(plain, 'refused');
  assert.ok(client.authenticated);
  client.close();
});

async function startFor(
  context: { after(end: () => Promise<void>): void },
  options: MailServerOptions,
): Promise<MailServer> {
  const server = await startMailServer(options);
  context.after(() => server.stop());
  return server;
}

async function signIn(
  { host, ports, ca, user }: MailServer,
  name: string,
  secret: { pass?: string; accessToken?: string } = { pass: user(name).password },
  how: { port: number; secure: boolean; doSTARTTLS?: boolean } = { port: ports.imaps, secure: true },
): Promise<ImapFlow> {
  const auth = { user: user(name).address, ...secret };
  const client = new ImapFlow({ host, ...how, auth, tls: { ca: ca.pem }, logger: false });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function mailer({ host, ports, ca, user }: MailServer, name: string) {
  const { address, password } = user(name);
  const auth = { user: address, pass: password };
  return nodemailer.createTransport(
    { host, port: ports.smtps, secure: true, auth, tls: { ca: ca.pem } },
    { from: address },
  );
}

function tokenMailer({ host, ports, ca, user }: MailServer, accessToken: string) {
  const { address } = user('alice');
  const auth = { type: 'OAuth2' as const, user: address, accessToken };
  return nodemailer.createTransport(
    { host, port: ports.smtps, secure: true, auth, tls: { ca: ca.pem } },
    { from: address },
  );
}

function codeOf(error: { responseCode?: number }): number | undefined {
  return error.responseCode;
}

async function greeting({ host }: MailServer, port: number): Promise<string> {
  const socket = connect(port, host);
  try {
    return String((await once(socket, 'data'))[0]);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  } finally {
    socket.destroy();
  }
}
