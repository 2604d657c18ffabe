import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openStream } from '../../src/connectors/xmpp/stream.ts';
import { rejectionOf } from '../support/connectors/outcomes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DOMAIN, type Prosody, startProsody } from '../support/xmpp/prosody.ts';
import { xmppSource } from '../support/xmpp/xmpp-source.ts';

describe('an encrypted connection', () => {
  let server: Prosody;
  before(async () => {
    server = await startProsody({ users: ['alice'], tls: true });
  });
  after(() => server?.stop());

  test('is upgraded from a plain one, and the configured certificate is trusted', async (context) => {
    const source = xmppSource(context, { port: server.port, tls: true, ca: server.certificate });

    await source.connected();
    await source.stop();

    assert.equal(await source.end(), undefined);
  });

  test('can be encrypted from the first byte', async (context) => {
    const service = `xmpps://127.0.0.1:${server.directTlsPort}`;
    const source = xmppSource(context, { port: 0, service, tls: true, ca: server.certificate });

    await source.connected();
  });

  test('is used if the server requires it, even if the settings do not', async (context) => {
    const source = xmppSource(context, { port: server.port, tls: false, ca: server.certificate });

    await source.connected();
  });

  for (const scheme of ['xmpp', 'xmpps'] as const) {
    test(`is refused to a server with an untrusted certificate (${scheme})`, async (context) => {
      const port = scheme === 'xmpp' ? server.port : server.directTlsPort;
      const source = xmppSource(context, { port, service: `${scheme}://127.0.0.1:${port}`, tls: true });

      const error = await source.end();

      assert.match(rejectionOf(error), /certificate of the server is not trusted/);
    });
  }

  test('is refused to a server with a certificate of another domain', async (context) => {
    const service = `xmpps://127.0.0.1:${server.directTlsPort}`;
    const source = xmppSource(context, {
      port: 0,
      service,
      jid: 'alice@127.0.0.1',
      tls: true,
      ca: server.certificate,
    });

    const error = await source.end();

    assert.match(rejectionOf(error), /certificate is of another server/);
  });

  test('to a server of another domain is rejected permanently', async (context) => {
    const source = xmppSource(context, { port: server.port, jid: 'alice@other.test', tls: true });

    const error = await source.end();

    assert.match(rejectionOf(error), /set `service`/);
  });

  test('fails with a clear error if the configured certificate is missing or invalid', async (context) => {
    const broken = join(
      temporaryFolder((clean) => context.after(clean)),
      'broken.pem',
    );
    writeFileSync(broken, 'no certificate');

    const ends = await Promise.all(
      [broken, `${broken}.missing`].map((ca) => xmppSource(context, { port: server.port, tls: true, ca }).end()),
    );

    assert.ok(ends.every((end) => end !== undefined));
  });

  test('a wrong password is rejected permanently', async (context) => {
    const source = xmppSource(context, {
      port: server.port,
      tls: true,
      ca: server.certificate,
      password: 'wrong',
    });

    rejectionOf(await source.end());
  });

  test('a missing password is rejected permanently', async (context) => {
    const source = xmppSource(context, { port: server.port, password: undefined });

    rejectionOf(await source.end());
  });
});

describe('authentication mechanisms', () => {
  const WAYS = { 'SCRAM-SHA-256': [], 'SCRAM-SHA-1': ['SCRAM-SHA-256'], PLAIN: ['SCRAM-SHA-256', 'SCRAM-SHA-1'] };
  for (const [way, withoutMechanisms] of Object.entries(WAYS)) {
    test(`${way} is used if it is the best one offered`, async (context) => {
      const server = await startProsody({ users: ['alice'], tls: true, withoutMechanisms });
      context.after(() => server.stop());

      const stream = await openStream(
        {
          ...{ domain: DOMAIN, user: 'alice', password: 'pw-alice', resource: 'x' },
          ...{ service: `xmpp://127.0.0.1:${server.port}`, tls: true, ca: server.certificate },
        },
        AbortSignal.timeout(20_000),
      );
      await stream.close();

      assert.equal(stream.jid, `alice@${DOMAIN}/x`);
    });
  }
});
