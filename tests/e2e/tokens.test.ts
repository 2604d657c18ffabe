import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('switchboard token', () => {
  const home = join(temporaryFolder(after), 'home');
  const env = { SWITCHBOARD_AUTH__TOKEN: 'the-owner-of-this-machine' };
  const token = (...args: string[]) => runProgram(['token', ...args, '--json'], { home, env });
  let program: Awaited<ReturnType<typeof startHttp>>;
  let api: string;

  before(async () => {
    program = await startHttp({ home, env });
    api = `${program.base}/api/v1`;
  });

  after(() => program.stop());

  test('CHAT-28 an added token is valid immediately, limited to its scopes, until it is removed', async () => {
    const added = await token('add', 'ci', '--scopes', 'system:read,chat:read', '--agent', 'Ada');
    const secret = JSON.parse(added.stdout).token;

    const reads = await fetch(`${api}/status`, bearer(secret));
    const manages = await fetch(`${api}/tokens`, bearer(secret));
    const removed = await token('remove', 'ci');
    const refused = await fetch(`${api}/status`, bearer(secret));

    assert.deepEqual([added.code, removed.code], [0, 0], added.stderr + removed.stderr);
    assert.deepEqual([reads.status, manages.status, refused.status], [200, 403, 401]);
  });

  test('an open stream is closed when its token is removed', async () => {
    const added = await token('add', 'listener', '--scopes', 'system:read');
    const stream = await fetch(`${program.base}/sse`, bearer(JSON.parse(added.stdout).token));

    const removed = await token('remove', 'listener');

    assert.deepEqual([stream.status, removed.code], [200, 0]);
    await assert.rejects(stream.text());
  });

  test('the token is neither stored in plain text nor listed', async () => {
    const added = await token('add', 'hidden', '--scopes', 'chat:read');
    const secret = JSON.parse(added.stdout).token;

    const listed = await token('list');

    const [entry] = JSON.parse(listed.stdout).tokens;
    assert.partialDeepStrictEqual(entry, { name: 'hidden', scopes: ['chat:read'], origin: 'store' });
    assert(!listed.stdout.includes(secret));
    for (const file of ['switchboard.db', 'switchboard.db-wal']) {
      assert(!readFileSync(join(home, file)).includes(secret), file);
    }
  });

  test('tokens can be managed over REST too', async () => {
    const owner = { authorization: `Bearer ${env.SWITCHBOARD_AUTH__TOKEN}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'rest', scopes: ['servers:manage'] });

    const added = await fetch(`${api}/tokens`, { method: 'POST', headers: owner, body });
    const again = await fetch(`${api}/tokens`, { method: 'POST', headers: owner, body });
    const removed = await fetch(`${api}/tokens/rest`, { method: 'DELETE', headers: owner });

    assert.deepEqual([added.status, again.status, removed.status], [200, 409, 200]);
  });

  test('an invalid scope is a usage error', async () => {
    const { code, stderr } = await token('add', 'ci', '--scopes', 'chat');

    assert.equal(code, 2);
    assert.match(JSON.parse(stderr).error.message, /scope like chat:read/);
  });
});
