import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry on loopback with one package in it, from its tarball; it has nothing else. */
export async function startRegistry(tarball: string, about: { name: string; version: string }) {
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const path = `/${about.name}`;
  const file = `${path}/-/${about.name}-${about.version}.tgz`;
  const server = createServer((request, response) => {
    if (request.url === file) return void response.end(bytes);
    response.setHeader('content-type', 'application/json');
    if (request.url !== path) return void response.writeHead(404).end('{"error":"not found"}');
    const dist = { tarball: `${base()}${file}`, integrity };
    const { version } = about;
    response.end(
      JSON.stringify({
        name: about.name,
        'dist-tags': { latest: version },
        versions: { [version]: { ...about, dist } },
      }),
    );
  });
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: base(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
