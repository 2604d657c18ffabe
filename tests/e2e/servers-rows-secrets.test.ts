import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { processesOf } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { startAuthority } from '../support/servers/oauth-authority.ts';
import { startProtectedServer } from '../support/servers/protected-server.ts';
import { faultyServer, serverProcesses, startServerHome } from '../support/servers/server-home.ts';

const CANARY = 'ghp-a-canary-that-must-not-appear';
const home = await startServerHome(after, { configuration: { logging: { level: 'debug' } } });

const secretFiles = () => readdirSync(join(home.home, 'secrets')).sort();

/** Every file of the home that contains these bytes. */
function filesWith(text: string): string[] {
  return readdirSync(home.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

/** The arguments of every process of the home. */
function argumentsOfProcesses(): string {
  return [...processesOf(home.home), ...serverProcesses(home.home)]
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    .join('\n');
}

describe('secrets of servers', () => {
  test('HOST-12 MC-T6 MC-T7 variables and secrets reach the process, however they were given', async () => {
    const config = faultyServer('given', {
      env_vars: { PLAIN: 'plain', GITHUB_TOKEN: CANARY, NAMED: { value: `${CANARY}-2`, is_secret: true } },
    });
    await home.run(config);
    const { args = [] } = faultyServer('typed') as { args?: string[] };
    await home.command('servers', 'add', 'typed', '--binary', process.execPath, '--disabled', '--', ...args);
    const stored = await runProgram(['servers', 'secret', 'typed', 'API_KEY'], {
      home: home.home,
      stdin: `${CANARY}-3\n`,
    });
    await home.rest('POST', '/servers/typed/enable');

    const values = {
      plain: await home.text('given', 'env', { name: 'PLAIN' }),
      home: await home.text('given', 'env', { name: 'SWITCHBOARD_AUTH__TOKEN' }),
      // Masked in what callers read: the tool says whether it is there.
      token: await home.text('given', 'env', { name: 'GITHUB_TOKEN' }),
      named: await home.text('given', 'env', { name: 'NAMED' }),
      typed: await home.text('typed', 'env', { name: 'API_KEY' }),
    };

    assert.equal(stored.code, 0, stored.stderr);
    assert.deepEqual([values.plain, values.home], ['plain', 'undefined']);
    for (const value of [values.token, values.named, values.typed]) {
      assert.notEqual(value, 'undefined');
      assert.doesNotMatch(value, /canary/);
    }
  });

  test('HOST-13 the keys of a server are in one file that only the owner can read', async () => {
    const files = secretFiles().filter((name) => /given|typed/.test(name));
    const modes = files.map((name) => statSync(join(home.home, 'secrets', name)).mode & 0o777);

    assert.equal(files.length, 2, files.join());
    assert.deepEqual(modes, [0o600, 0o600]);
    assert.equal(statSync(join(home.home, 'secrets')).mode & 0o777, 0o700);
  });

  test('HOST-13 the OAuth tokens of a server are in one file of their own, which is removed with the login', async (t) => {
    const authority = await startAuthority();
    const resource = await startProtectedServer({ authority });
    t.after(() => Promise.all([authority.close(), resource.close()]));
    await home.add({
      name: 'remote',
      package: { type: 'http', identifier: resource.url },
      transport: { type: 'http', url: resource.url },
      auth: { type: 'oauth' },
      enabled: false,
    });

    const asked = await home.rest('POST', '/servers/remote/login', { browser: false });
    const { dialog_id, step } = asked.body as { dialog_id?: string; step?: { url?: string } };
    const page = await fetch(step?.url ?? '', { redirect: 'manual' });
    const answer = page.headers.get('location') ?? '';
    const loggedIn = await home.rest('POST', '/servers/remote/login', { browser: false, dialog_id, answer });
    const files = secretFiles().filter((name) => name.includes('remote'));
    const modes = files.map((name) => statSync(join(home.home, 'secrets', name)).mode & 0o777);
    const [token = ''] = authority.accessTokens.keys();
    const withToken = filesWith(token);
    const shown = await home.rest('GET', '/servers/remote');
    await home.rest('POST', '/servers/remote/logout');
    const left = secretFiles().filter((name) => name.includes('remote'));
    await home.rest('DELETE', '/servers/remote');

    assert.equal(loggedIn.body.state, 'connected', JSON.stringify(loggedIn.body));
    assert.equal(files.length, 1, files.join());
    assert.match(files[0] ?? '', /oauth/);
    assert.deepEqual(modes, [0o600]);
    assert.notEqual(token, '');
    assert.deepEqual(withToken, []);
    assert.ok(!JSON.stringify([asked, loggedIn, shown, home.log()]).includes(token));
    assert.deepEqual(left, []);
  });

  test('HOST-12 a secret is in no answer, error, log, event, argument or file of the home', async () => {
    const manager = await home.tools();
    await home.call('given', 'die', { words: `fatal: ${CANARY} was refused` });
    const status = await home.reached('given', 'running');
    const answers = [
      status,
      await home.rest('GET', '/servers'),
      await home.rest('GET', '/servers/given'),
      await home.rest('GET', '/servers/given/logs'),
      await home.rest('PUT', '/servers/given', { env_vars: { PLAIN: CANARY.repeat(20_000) } }),
      await manager.call('servers_get', { id: 'given' }),
      await home.command('servers', 'show', 'given'),
      await home.command('servers', 'logs', 'given'),
      await home.command('servers', 'list', '--json'),
      await home.command('sessions', 'list', '--json'),
      await home.command('config', 'show', '--json'),
      home.log(),
    ];
    const args = argumentsOfProcesses();
    await home.reached('given', 'running');

    assert.doesNotMatch(JSON.stringify(answers), new RegExp(CANARY));
    assert.doesNotMatch(args, new RegExp(CANARY));
    assert.deepEqual(filesWith(CANARY), []);
  });

  test('HOST-12 an error of a process that printed its secret is masked', async () => {
    const program = `process.stderr.write('bad token ' + process.env.GITHUB_TOKEN + '\\n', () => process.exit(2))`;
    await home.add({ ...faultyServer('leaky', { env_vars: { GITHUB_TOKEN: CANARY } }), args: ['-e', program] });
    await home.reached('leaky', 'error');

    const started = await home.rest('POST', '/servers/leaky/start');
    await home.rest('DELETE', '/servers/leaky');

    const { error } = started.body;
    assert.match(JSON.stringify(error?.upstream), /bad token/);
    assert.doesNotMatch(JSON.stringify(error), /canary/);
  });

  test('a changed secret reaches the process without a restart of the daemon', async () => {
    const pid = (await home.reached('typed', 'running')).pid;

    await runProgram(['servers', 'secret', 'typed', 'API_KEY'], { home: home.home, stdin: 'plainly-different' });
    const after = await home.reached('typed', 'running');
    const started = readFileSync(`/proc/${after.pid}/environ`, 'utf8');

    assert.notEqual(after.pid, pid);
    assert.match(started, /API_KEY=plainly-different\0/);
  });

  test('the secrets of a removed server are removed', async () => {
    const before = secretFiles().filter((name) => /typed/.test(name));
    const program = await home.command('servers', 'remove', 'typed');

    assert.equal(program.code, 0);
    assert.equal(before.length, 1);
    assert.deepEqual(
      secretFiles().filter((name) => /typed/.test(name)),
      [],
    );
  });

  test('a variable that looks like a secret but refers to one is kept as the reference', async () => {
    await home.add(faultyServer('refers', { enabled: false, env_vars: { API_KEY: `\${env:NOT_THERE}` } }));

    const { body } = await home.rest('GET', '/servers/refers');
    await home.rest('DELETE', '/servers/refers');

    assert.partialDeepStrictEqual(body.env_vars, { API_KEY: { value: `\${env:NOT_THERE}` } });
  });
});
