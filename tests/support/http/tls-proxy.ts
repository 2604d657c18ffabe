import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { TestContext } from 'node:test';
import { createServer } from 'node:tls';
import { temporaryFolder } from '../temporary-folder.ts';

/** HTTPS in front of an HTTP server, with a self-signed certificate; `name` in OpenSSL's syntax. */
export async function startTlsProxy(context: TestContext, base: string, { name = 'IP:127.0.0.1' } = {}) {
  const folder = temporaryFolder((clean) => context.after(clean));
  const { key, certificate } = makeCertificate(folder, name);
  const { hostname, port: behind } = new URL(base);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    const inner = connect(Number(behind), hostname);
    pipeline(socket, inner, () => {});
    pipeline(inner, socket, () => {});
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, certificate };
}

function makeCertificate(folder: string, name: string) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=a test'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...how, '-addext', `subjectAltName=${name}`, '-days', '2', ...files], {
    stdio: 'pipe',
  });
  return { key, certificate };
}
