import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { isGreeting } from '../../src/connectors/imap/discovery/greeting.ts';
import { guardedLookup } from '../../src/connectors/imap/discovery/guarded-lookup.ts';
import { httpsDocument } from '../../src/connectors/imap/discovery/https-document.ts';
import { makeCertificate } from '../support/email/certificate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
makeCertificate(folder);
const [ca, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name), 'utf8')) as [string, string];
const { signal } = new AbortController();
/** Every name is this machine; `localhost` may be, names on the internet may not. */
const lookup = guardedLookup(async () => [{ address: '127.0.0.1', family: 4 }]);

describe('a document of a domain', () => {
  let server: Server;
  let origin: string;
  before(async () => {
    server = createHttpsServer({ cert: ca, key }, ({ url = '' }, response) => {
      const target = new URL(url, 'https://localhost').searchParams.get('to');
      if (target !== null) response.writeHead(302, { location: target }).end();
      else if (url === '/large') response.end('x'.repeat(1_000_000));
      else if (url === '/hang') response.write('<');
      else response.writeHead(url === '/file' ? 200 : 404).end('<file>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const get = (url: string, more: object = {}) => httpsDocument(url, { lookup, signal, ca, ...more });
  const to = (target: string) => `${origin}/?to=${encodeURIComponent(target)}`;

  test('is fetched by HTTPS, and where it is redirected to', async () => {
    assert.equal(await get(`${origin}/file`), '<file>');
    assert.equal(await get(to(`${origin}/file`)), '<file>');
    assert.equal(await get(to('/file')), '<file>');
  });

  test('is not fetched by other ways, nor from addresses, nor after many redirects', async () => {
    const loop = to(to(to(to('/file'))));
    const targets = [
      to('http://localhost/file'),
      to('file:///etc/passwd'),
      to('https://127.0.0.1/file'),
      to('https://[::1]/file'),
      to('https://0x7f000001/file'),
      to('https://2130706433/file'),
      to(`https://example.org:${new URL(origin).port}/file`),
      loop,
    ];

    for (const target of targets) await assert.rejects(get(target), Error, target);
  });

  test('is not taken without a valid certificate, if it is missing, too large, or does not end', async () => {
    await assert.rejects(httpsDocument(`${origin}/file`, { lookup, signal }), { code: /SELF_SIGNED|UNABLE_TO_VERIFY/ });
    await assert.rejects(get(`${origin}/other`), /404/);
    await assert.rejects(get(`${origin}/large`), /too large/);
    await assert.rejects(get(`${origin}/hang`, { signal: AbortSignal.timeout(100) }), { name: 'AbortError' });
  });
});

describe('a server that answers', () => {
  test('is one of the protocol', async () => {
    const port = await greeting('* OK [CAPABILITY IMAP4rev1] ready\r\n');
    const server = { host: 'localhost', port, tls: 'starttls' as const };

    assert.equal(await isGreeting(server, 'imap', { lookup, signal }), true);
    assert.equal(await isGreeting(server, 'smtp', { lookup, signal }), false);
  });

  test('has a valid certificate where it begins with TLS', async () => {
    const port = await greeting('220 ready\r\n', true);

    const valid = await isGreeting({ host: 'localhost', port, tls: true, ca }, 'smtp', { lookup, signal });
    const unknown = await isGreeting({ host: 'localhost', port, tls: true }, 'smtp', { lookup, signal });

    assert.deepEqual([valid, unknown], [true, false]);
  });

  test('says something in time, and not too much', async () => {
    const silent = await greeting('');
    const endless = await greeting('x'.repeat(100_000));
    const options = { lookup, signal: AbortSignal.timeout(200) };

    assert.equal(await isGreeting({ host: 'localhost', port: silent, tls: 'starttls' }, 'imap', options), false);
    assert.equal(
      await isGreeting({ host: 'localhost', port: endless, tls: 'starttls' }, 'imap', { lookup, signal }),
      false,
    );
  });

  async function greeting(text: string, secure = false): Promise<number> {
    const server = secure ? createTlsServer({ cert: ca, key }) : createTcpServer();
    server.on(secure ? 'secureConnection' : 'connection', (socket) => socket.on('error', () => {}).write(text));
    server.listen(0, '127.0.0.1').unref();
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
});
