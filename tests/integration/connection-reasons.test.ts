import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { openConnection as openIrc } from '../../src/connectors/irc/connection.ts';
import { openConnection as openMatrix } from '../../src/connectors/matrix/connection.ts';
import { openConnection as openXmpp } from '../../src/connectors/xmpp/connection.ts';
import { AppError } from '../../src/domain/errors.ts';
import { runRecorded } from '../support/connectors/recording-host.ts';
import { freePort } from '../support/free-port.ts';
import { startTlsProxy } from '../support/http/tls-proxy.ts';

interface Address {
  host: string;
  port: number;
  tls: boolean;
  ca?: string;
}

/** How each network is configured to use a server at this address. */
const NETWORKS = {
  matrix: ({ host, port, tls, ca }: Address) =>
    runRecorded(openMatrix, {
      homeserver: `${tls ? 'https' : 'http'}://${host}:${port}`,
      access_token: 'token',
      rooms: [],
      ca,
    }),
  irc: ({ host, port, tls, ca }: Address) => runRecorded(openIrc, { host, port, tls, ca, nick: 'alice', channels: [] }),
  xmpp: ({ host, port, tls, ca }: Address) =>
    runRecorded(openXmpp, {
      jid: 'alice@127.0.0.1',
      password: 'x',
      service: `${tls ? 'xmpps' : 'xmpp'}://${host}:${port}`,
      tls,
      ca,
      rooms: [],
    }),
};

/** A server that talks neither TLS nor any of the protocols. */
let plain: Server;
let plainPort: number;
const sockets = new Set<Socket>();
before(async () => {
  plain = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.end('NOTICE * :who are you?\r\n');
  });
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  plainPort = (plain.address() as AddressInfo).port;
});
after(() => {
  for (const socket of sockets) socket.destroy();
  plain.close();
});

for (const [kind, connect] of Object.entries(NETWORKS)) {
  describe(`${kind}: a connection that cannot be made says why`, () => {
    const reason = async (context: TestContext, address: Address): Promise<[string, boolean]> => {
      const run = connect(address);
      context.after(() => run.stop());
      const end = await run.ended;
      if (end instanceof AppError) return [end.message, true];
      const { kind: how, reason: words = '' } = (end ?? {}) as { kind?: string; reason?: string };
      assert.equal(how, 'rejected', String(end));
      return [words, false];
    };

    test('a certificate that is not trusted', async (context) => {
      const { url } = await startTlsProxy(context, `http://127.0.0.1:${plainPort}`);

      const end = await reason(context, { host: '127.0.0.1', port: Number(new URL(url).port), tls: true });

      assert.deepEqual(end, [
        'The certificate of the server is not trusted: name it in `ca` if it is one of your own.',
        false,
      ]);
    });

    test('a certificate of another server', async (context) => {
      const { url, certificate: ca } = await startTlsProxy(context, `http://127.0.0.1:${plainPort}`, {
        name: 'DNS:other.example',
      });

      const end = await reason(context, { host: '127.0.0.1', port: Number(new URL(url).port), tls: true, ca });

      assert.deepEqual(end, ['The certificate is of another server: its names do not include this host.', false]);
    });

    test('a file of certificates that cannot be read', async (context) => {
      const end = await reason(context, { host: '127.0.0.1', port: plainPort, tls: true, ca: '/nowhere/ca.pem' });

      assert.deepEqual(end, ['The file with the certificate to trust cannot be read.', false]);
    });

    test('TLS to a port without it', async (context) => {
      const [words, isTemporary] = await reason(context, { host: '127.0.0.1', port: plainPort, tls: true });

      assert.match(words, /^The server does not use TLS from the beginning on this port: check /);
      assert.equal(isTemporary, false);
    });

    test('an unknown host', async (context) => {
      const [words, isTemporary] = await reason(context, { host: 'nowhere.invalid', port: 1, tls: false });

      assert.match(words, /^The name of the server cannot be resolved/);
      assert.equal(isTemporary, true);
    });

    test('a port on which no server listens', async (context) => {
      const end = await reason(context, { host: '127.0.0.1', port: await freePort(), tls: false });

      assert.deepEqual(end, ['The server cannot be reached: it refuses connections to this port.', true]);
    });
  });
}
