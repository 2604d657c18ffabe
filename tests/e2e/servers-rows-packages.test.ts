import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/domain/json.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/mcp/shim-program.ts';
import { faultyServer, nodeServer, serverProcesses, startServerHome } from '../support/servers/server-home.ts';
import { createEchoServer } from '../support/servers/upstream-echo-server.ts';
import { serveHttp } from '../support/servers/upstream-http.ts';
import { sessionHandler } from '../support/servers/upstream-sessions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const FAULTY = fileURLToPath(new URL('../support/servers/process-faulty.mjs', import.meta.url));
const bin = join(temporaryFolder(after), 'bin');

// Programs that record how they were started and then are a server, or fail as theirs do.
mkdirSync(bin);
program('uvx', `exec '${process.execPath}' '${FAULTY}' "$@"`);
program(
  'docker',
  `case "$*" in
  *down*) echo 'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2; exit 125;;
  *missing*) echo 'docker: Error response from daemon: pull access denied for acme/missing, repository does not exist or may require docker login' >&2; exit 125;;
esac
exec '${process.execPath}' '${FAULTY}' "$@"`,
);
const env = { PATH: `${bin}:${process.env.PATH}`, npm_config_offline: 'true' };
const home = await startServerHome(after, { env, configuration: { servers: { tool_budget: 1_000 } } });

function program(name: string, script: string): void {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\necho "$*" >> '${join(bin, `${name}.calls`)}'\n${script}\n`);
  chmodSync(path, 0o755);
}

const callsOf = (name: string) =>
  readFileSync(join(bin, `${name}.calls`), 'utf8')
    .trimEnd()
    .split('\n');

/** npx finds these packages in the checkout, which is the working directory. */
const npm = (name: string, identifier: string, args: string[] = []): JsonObject => ({
  name,
  package: { type: 'npm', identifier },
  transport: { type: 'stdio' },
  args,
  cwd: CHECKOUT,
});

describe('packages', () => {
  test('HOST-05 an npm package is run with npx, and stopped with all its processes', async () => {
    await home.run(npm('everything', '@modelcontextprotocol/server-everything'));
    const pid = Number((await home.status('everything')).pid);
    const started = readFileSync(`/proc/${pid}/cmdline`, 'utf8');

    const echoed = await home.text('everything', 'echo', { message: 'through npx' });
    const sum = await home.text('everything', 'get-sum', { a: 2, b: 3 });
    const before = serverProcesses(home.home).length;
    await home.rest('POST', '/servers/everything/stop');
    const left = serverProcesses(home.home);

    assert.match(started.replaceAll('\0', ' '), /npx|npm exec @modelcontextprotocol\/server-everything/);
    assert.match(echoed, /through npx/);
    assert.match(sum, /5/);
    assert.ok(before > 1, 'npx starts the package as a process of its own');
    assert.deepEqual(left, []);
  });

  test('HOST-05 HOST-07 arguments reach the package: files of the given folder are read and written', async () => {
    const folder = home.dir('files');
    writeFileSync(join(folder, 'note.txt'), 'a note');
    await home.run(npm('files', '@modelcontextprotocol/server-filesystem', [folder]));

    const read = await home.text('files', 'read_text_file', { path: join(folder, 'note.txt') });
    await home.text('files', 'write_file', { path: join(folder, 'new.txt'), content: 'written' });
    const outside = await home.call('files', 'read_text_file', { path: join(home.home, 'config.yaml') });
    await home.rest('DELETE', '/servers/files');

    assert.match(read, /a note/);
    assert.equal(readFileSync(join(folder, 'new.txt'), 'utf8'), 'written');
    assert.equal(outside.body.is_error, true);
  });

  test('HOST-05 HOST-12 a docker image is run with the names of its variables, never their values', async () => {
    await home.run({
      name: 'boxed',
      package: { type: 'docker', identifier: 'acme/server', version: '1.2' },
      transport: { type: 'stdio' },
      args: ['--quiet'],
      env_vars: { REGION: 'eu', API_KEY: 'a-docker-secret-canary' },
    });

    const region = await home.text('boxed', 'env', { name: 'REGION' });
    const [call = ''] = callsOf('docker');
    await home.rest('DELETE', '/servers/boxed');

    assert.match(call, /^run --rm -i (?:.* )?-e REGION -e API_KEY acme\/server:1\.2 --quiet$/);
    assert.equal(region, 'eu');
  });

  test('HOST-05 a PyPI package is run with uvx, a binary as it is', async () => {
    const script = join(home.dir('scripts'), 'my server');
    writeFileSync(script, `#!/bin/sh\nexec '${process.execPath}' '${FAULTY}' "$@"\n`, { mode: 0o755 });
    const transport = { type: 'stdio' };
    await home.run({ name: 'py', package: { type: 'pypi', identifier: 'mcp-server-x' }, transport, args: ['-v'] });
    await home.run({
      name: 'own',
      package: { type: 'binary', identifier: script },
      transport,
      args: ['a b', '$(id)', ';'],
    });

    const args = await home.text('own', 'args');
    for (const id of ['py', 'own']) await home.rest('DELETE', `/servers/${id}`);

    assert.deepEqual(callsOf('uvx'), ['mcp-server-x -v']);
    assert.deepEqual(JSON.parse(args), ['a b', '$(id)', ';']);
  });

  test('HOST-09 start errors have the codes and texts of the specification', async () => {
    const stdio = { transport: { type: 'stdio' } };
    const registry = await serveHttp((_request, response) => void response.writeHead(404).end('{}'));
    after(() => registry.close());
    const env_vars = { npm_config_registry: new URL('/', registry.url).href, npm_config_offline: 'false' };
    const wanted: [JsonObject, string, string][] = [
      [{ ...npm('e1', '@modelcontextprotocol/no-such-server'), env_vars }, 'NOT_FOUND', 'Package not found'],
      [{ ...stdio, package: { type: 'binary', identifier: '/no/such/program' } }, 'NOT_FOUND', 'Package not found'],
      [{ ...stdio, package: { type: 'docker', identifier: 'acme/missing' } }, 'NOT_FOUND', 'Package not found'],
      [{ ...stdio, package: { type: 'docker', identifier: 'acme/down' } }, 'SERVICE_UNAVAILABLE', 'Docker not running'],
      [
        faultyServer('e5', { env_vars: { API_KEY: { is_secret: true } } }),
        'VALIDATION_ERROR',
        'Missing required credentials',
      ],
      [faultyServer('e6', { fault: 'hang', handshake_timeout_ms: 300 }), 'NETWORK_ERROR', 'Handshake timed out'],
    ];

    for (const [index, [config, code, message]] of wanted.entries()) {
      const id = `e${index + 1}`;
      await home.add({ ...config, name: id });
      const status = await home.reached(id, 'error');
      const started = await home.rest('POST', `/servers/${id}/start`);
      await home.rest('DELETE', `/servers/${id}`);

      assert.partialDeepStrictEqual(status, { code, message }, id);
      assert.partialDeepStrictEqual(started.body.error, { code, message }, id);
    }
  });
});

describe('remote servers', () => {
  test('HOST-05 HOST-20 an endpoint is called with the bearer token or the headers, and nothing is spawned', async () => {
    const seen: { method: string | undefined; headers: IncomingHttpHeaders }[] = [];
    const handle = sessionHandler(() => createEchoServer({ name: 'remote' }));
    const fixture = await serveHttp((request, response) => {
      seen.push({ method: request.method, headers: request.headers });
      return handle(request, response);
    });
    after(() => fixture.close());
    const remote = {
      package: { type: 'http', identifier: fixture.url },
      transport: { type: 'http', url: fixture.url },
    };

    await home.run({ ...remote, name: 'bearer', auth: { type: 'bearer', token: 'a-bearer-token-canary' } });
    const echoed = await home.text('bearer', 'echo_remote', { text: 'over the wire' });
    await home.run({ ...remote, name: 'custom', headers: { 'X-Tenant': 'acme', 'X-Api-Key': 'a-header-canary' } });
    await home.text('custom', 'echo_remote', { text: 'again' });
    const shown = await home.rest('GET', '/servers');
    const status = await home.status('bearer');
    const spawned = serverProcesses(home.home);
    for (const id of ['bearer', 'custom']) await home.rest('DELETE', `/servers/${id}`);

    assert.equal(echoed, 'over the wire');
    const posts = seen.filter(({ method }) => method === 'POST');
    assert.ok(posts.some(({ headers }) => headers.authorization === 'Bearer a-bearer-token-canary'));
    assert.ok(
      posts.some(({ headers }) => headers['x-tenant'] === 'acme' && headers['x-api-key'] === 'a-header-canary'),
    );
    assert.match(String(posts[0]?.headers['content-type']), /^application\/json/);
    assert.doesNotMatch(JSON.stringify(shown.body), /canary/);
    assert.equal(status.pid, undefined);
    assert.deepEqual(spawned, []);
  });

  test('HOST-10 a lost endpoint is NETWORK_ERROR and state error; it is found again by itself', async () => {
    const port = await freePort();
    const handle = sessionHandler(() => createEchoServer({ name: 'away' }));
    const first = await serveHttp(handle, port);
    await home.run({
      name: 'away',
      package: { type: 'http', identifier: first.url },
      transport: { type: 'http', url: first.url },
    });
    await first.close();

    const called = await home.call('away', 'echo_away', { text: 'x' });
    const second = await serveHttp(
      sessionHandler(() => createEchoServer({ name: 'away' })),
      port,
    );
    after(() => second.close());
    await until('it is back', async () => (await home.text('away', 'echo_away', { text: 'back' })) === 'back');
    await home.rest('DELETE', '/servers/away');

    assert.equal(called.body.error?.code, 'NETWORK_ERROR', JSON.stringify(called.body));
  });

  test('an endpoint that refuses the token needs a login, and is not tried again and again', async () => {
    const fixture = await serveHttp((_request, response) => void response.writeHead(401).end());
    after(() => fixture.close());
    await home.add({
      name: 'locked',
      package: { type: 'http', identifier: fixture.url },
      transport: { type: 'http', url: fixture.url },
      auth: { type: 'bearer', token: 'a-wrong-token' },
    });

    const status = await home.reached('locked', 'error');
    await home.rest('DELETE', '/servers/locked');

    assert.partialDeepStrictEqual(status, { code: 'UNAUTHENTICATED' });
    assert.equal(status.retry_at, undefined);
  });
});

describe('servers of other versions of the SDK', () => {
  for (const version of ['1-0', '1-12', '1-17', '1-32']) {
    test(`HOST-07 HOST-20 a server of SDK ${version.replace('-', '.')} is run and called`, async () => {
      const id = `sdk-${version}`;
      await home.run(nodeServer(id, 'upstream-sdk1.ts', ['--version', version, '--name', 'old']));

      const echoed = await home.text(id, 'echo_old', { text: version });
      await home.rest('DELETE', `/servers/${id}`);

      assert.equal(echoed, version);
    });
  }

  for (const era of ['sessions', 'stateless']) {
    test(`HOST-07 a server of SDK 2 with ${era} is run and called`, async () => {
      const id = `two-${era}`;
      await home.run(nodeServer(id, 'upstream-echo.ts', ['--name', 'new', '--era', era]));

      const echoed = await home.text(id, 'echo_new', { text: era });
      await home.rest('DELETE', `/servers/${id}`);

      assert.equal(echoed, era);
    });
  }
});
