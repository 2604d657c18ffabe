import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { imap } from '../../src/connectors/imap/index.ts';
import { openSession } from '../../src/connectors/imap/session/open-session.ts';
import { MailError, type MailSession } from '../../src/connectors/mail-connector.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { EVERYTHING, mailText, SILENT, sessionOn } from '../support/email/mail-session.ts';
import { freePort } from '../support/free-port.ts';

const NEVER = new AbortController().signal;

describe('signing in fails', async () => {
  const server = await startMailServer({ users: ['alice'], maxSessions: 1 });
  after(() => server.stop());

  test('with a wrong password', async (context) => {
    const credentials = { user: 'alice@example.test', password: 'wrong' };

    const failure = await failureOf(sessionOn(context, server, { credentials }));

    assert.deepEqual(failure, ['rejected', 'The user name or the password was not accepted.']);
  });

  test('with control characters in the password', async (context) => {
    const credentials = { user: 'alice@example.test', password: 'a\r\nb' };

    const failure = await failureOf(sessionOn(context, server, { credentials }));

    assert.deepEqual(failure, ['rejected', 'The user name or the password contains control characters.']);
  });

  test('with an access token where the server takes none', async (context) => {
    const credentials = { user: 'alice@example.test', accessToken: 'token' };

    const failure = await failureOf(sessionOn(context, server, { credentials }));

    assert.deepEqual(failure, ['rejected', 'The server does not accept access tokens (OAuth) on this port.']);
  });

  test('with a certificate that is not trusted', async (context) => {
    const failures = [
      await failureOf(sessionOn(context, server, { ca: null })),
      await failureOf(sessionOn(context, server, { ca: null, tls: 'starttls' })),
    ];

    const expected = 'The certificate of the server is not trusted: name it in `ca` if it is one of your own.';
    assert.deepEqual(failures, [
      ['rejected', expected],
      ['rejected', expected],
    ]);
  });

  test('with TLS on a plain port', async (context) => {
    const failure = await failureOf(sessionOn(context, server, { port: server.ports.imap }));

    const expected = 'The server does not use TLS from the beginning on this port: check `port` and `tls`.';
    assert.deepEqual(failure, ['rejected', expected]);
  });

  test('without TLS on a port with TLS', async (context) => {
    const choices = { port: server.ports.imaps, tls: false, limits: { greetingMs: 50 } };

    const failure = await failureOf(sessionOn(context, server, choices));

    const expected =
      'The server did not greet in time. If it uses TLS from the beginning on this port, set `tls: true`.';
    assert.deepEqual(failure, ['lost', expected]);
  });

  test('where nothing listens', async (context) => {
    const failure = await failureOf(sessionOn(context, server, { port: await freePort() }));

    assert.deepEqual(failure, ['lost', 'The server cannot be reached: it refuses connections to this port.']);
  });

  test('on a host that is unknown', async () => {
    const unknown = { host: 'nowhere.invalid', port: 993, tls: true };
    const options = { signal: NEVER, log: SILENT };

    const failure = await failureOf(openSession(unknown, { user: 'a', password: 'b' }, options));

    assert.equal(failure[0], 'lost');
    assert.match(failure[1] ?? '', /^The name of the server cannot be resolved/);
  });

  test('when there are too many connections', async (context) => {
    await sessionOn(context, server);

    const failure = await failureOf(sessionOn(context, server));

    assert.deepEqual(failure, ['lost', 'The server allows no more connections to this account at the moment.']);
  });

  test('when the server hangs', async (context) => {
    server.imap.hang();
    const secure = await failureOf(sessionOn(context, server, { limits: { connectMs: 50 } }));
    const plain = await failureOf(sessionOn(context, server, { tls: 'starttls', limits: { greetingMs: 50 } }));
    server.imap.unhang();

    assert.deepEqual(secure, ['lost', 'The server did not answer in time.']);
    assert.equal(plain[0], 'lost');
  });

  test('when it is cancelled, before or meanwhile', async (context) => {
    const before = await failureOf(sessionOn(context, server, { signal: AbortSignal.abort() }));
    server.imap.hang();
    const controller = new AbortController();
    const connecting = failureOf(sessionOn(context, server, { signal: controller.signal }));
    controller.abort();
    const meanwhile = await connecting;
    server.imap.unhang();

    assert.deepEqual(before, ['lost', 'The connection was closed.']);
    assert.deepEqual(meanwhile, ['lost', 'The connection was closed.']);
  });
});

test('an expired certificate and one of another host are told apart', async (context) => {
  const expired = await startFor(context, { certificate: 'expired' });
  const other = await startFor(context, { certificate: 'wrong-name' });

  const failures = [await failureOf(sessionOn(context, expired)), await failureOf(sessionOn(context, other))];

  assert.deepEqual(failures, [
    ['rejected', 'The certificate of the server has expired.'],
    ['rejected', 'The certificate is of another server: its names do not include this host.'],
  ]);
});

test('STARTTLS is used where it is asked for, and nothing is sent without it', async (context) => {
  const required = await startFor(context, { tls: 'starttls' });
  const none = await startFor(context, { tls: 'none' });

  const session = await sessionOn(context, required, { tls: 'starttls' });
  const withoutTls = await failureOf(sessionOn(context, required, { tls: false }));
  const downgraded = await failureOf(sessionOn(context, none, { tls: 'starttls' }));
  const plain = await sessionOn(context, none, { tls: false });

  assert.ok((await session.folders()).length > 0);
  assert.deepEqual(withoutTls, ['rejected', 'The server lets nobody sign in without encryption: set `tls`.']);
  assert.deepEqual(downgraded, [
    'rejected',
    'The server offers no encryption (STARTTLS), which this account requires.',
  ]);
  assert.ok((await plain.folders()).length > 0);
});

test('an access token signs in for reading and sending, by either mechanism, while it is valid', async (context) => {
  const authority = createServer(async (request: IncomingMessage, response) => {
    const token = new URLSearchParams(await text(request)).get('token');
    const answer = token === 'good' ? { active: true, username: 'alice@example.test' } : { active: false };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await once(authority.listen(0, '127.0.0.1'), 'listening');
  context.after(() => authority.close());
  const introspectionUrl = `http://127.0.0.1:${(authority.address() as AddressInfo).port}/`;
  for (const mechanisms of [['xoauth2'], ['oauthbearer'], ['xoauth2', 'oauthbearer']] as const) {
    const server = await startFor(context, { oauth: { introspectionUrl, mechanisms } });
    const user = 'alice@example.test';

    const session = await sessionOn(context, server, { credentials: { user, accessToken: 'good' } });
    const failure = await failureOf(sessionOn(context, server, { credentials: { user, accessToken: 'bad' } }));

    const sending = { host: server.host, port: server.ports.smtps, tls: true, ca: server.ca.pem };
    await imap.checkSending(sending, { user, accessToken: 'good' }, NEVER);
    const refused = await failureOf(imap.checkSending(sending, { user, accessToken: 'bad' }, NEVER));

    assert.ok((await session.folders()).length > 0);
    assert.deepEqual(failure, ['rejected', 'The server did not accept the access token.']);
    assert.equal(refused[0], 'rejected');
  }
});

describe('a session ends', async () => {
  const server = await startMailServer({ users: ['alice', 'bob'] });
  after(() => server.stop());
  for (let number = 0; number < 300; number += 1) {
    server.deliver('alice', mailText(`${number}`, { body: 'x'.repeat(20_000) }));
  }

  test('in the middle of fetching, and what was taken stays', async (context) => {
    const session = await sessionOn(context, server);
    let taken = 0;

    const fetching = session.fetch('INBOX', EVERYTHING, async (batch) => {
      if (taken === 0) server.imap.kick('alice');
      taken += batch.length;
    });

    assert.equal((await failureOf(fetching))[0], 'lost');
    assert.equal((await session.closed)?.kind, 'lost');
    assert.ok(taken >= 100 && taken < 300, `${taken}`);
    assert.equal((await failureOf(session.uids('INBOX')))[0], 'lost');
  });

  test('when the server goes down; another one can be opened later', async (context) => {
    const session = await sessionOn(context, server, { user: 'bob' });
    const watching = session.watch('INBOX', NEVER);
    await session.status('INBOX');

    await server.imap.down();
    const reason = await session.closed;
    const refused = await failureOf(sessionOn(context, server, { user: 'bob' }));
    await server.imap.up();
    const again = await sessionOn(context, server, { user: 'bob' });

    assert.equal(await watching, 'aborted');
    assert.equal(reason?.kind, 'lost');
    assert.equal(refused[0], 'lost');
    assert.equal((await again.status('INBOX')).messages, 0);
  });

  test('when the server hangs during a command', async (context) => {
    const session = await sessionOn(context, server, { user: 'bob', limits: { silenceMs: 1_500 } });
    await session.status('INBOX');

    server.imap.hang();
    const failure = await failureOf(session.uids('INBOX'));
    server.imap.unhang();

    assert.deepEqual(failure, ['lost', 'The server did not answer in time.']);
    assert.equal((await session.closed)?.message, 'The server did not answer in time.');
  });

  test('when the server hangs during IDLE', async (context) => {
    const session = await sessionOn(context, server, { user: 'bob', limits: { silenceMs: 1_500 } });
    const watching = session.watch('INBOX', NEVER);
    await session.status('INBOX');

    server.imap.hang();
    const reason = await session.closed;
    server.imap.unhang();

    assert.equal(await watching, 'aborted');
    assert.deepEqual([reason?.kind, reason?.message], ['lost', 'The server did not answer in time.']);
  });

  test('when it is cancelled, at once and without a reason', async (context) => {
    const controller = new AbortController();
    const session = await sessionOn(context, server, { signal: controller.signal });
    const fetching = session.fetch('INBOX', EVERYTHING, async () => controller.abort());

    const failure = await failureOf(fetching);

    assert.equal(failure[0], 'lost');
    assert.equal(await session.closed, undefined);
  });

  test('and leaves no socket and no timer', async (context) => {
    const before = resources().length;
    const sessions: MailSession[] = [];
    for (const tls of [true, 'starttls', false] as const) sessions.push(await sessionOn(context, server, { tls }));
    for (const session of sessions) void session.watch('INBOX', NEVER);
    for (const session of sessions) await session.status('INBOX');

    await Promise.all(sessions.map((session) => session.close()));
    // A socket that was destroyed is there for some more turns.
    for (let turn = 0; turn < 10_000 && resources().length > before; turn += 1) await nextTurn();

    assert.ok(resources().length <= before, resources().join());
  });
});

function resources(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => /Timeout|TCP|TLS/.test(name));
}

async function startFor(context: TestContext, options: Parameters<typeof startMailServer>[0]) {
  const server = await startMailServer(options);
  context.after(() => server.stop());
  return server;
}

/** Kind and text of the error; the server's own words are not in it. */
async function failureOf(work: Promise<unknown>): Promise<[kind?: string, message?: string]> {
  try {
    await work;
    return [];
  } catch (error) {
    assert.ok(error instanceof MailError, String(error));
    return [error.kind, error.message];
  }
}
