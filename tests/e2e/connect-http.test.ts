import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const bearer = (authorization: string) => ({ headers: { authorization } });

describe('switchboard connect --http', () => {
  const user = temporaryFolder(after);
  const home = join(user, 'switchboard-home');
  const connect = (...args: string[]) => runProgram(['connect', ...args], { home, env: { HOME: user } });
  const tokens = async (): Promise<{ name: string; scopes: string[] }[]> =>
    JSON.parse((await runProgram(['token', 'list', '--json'], { home })).stdout).tokens;
  const cursorEntry = (name = 'switchboard') =>
    JSON.parse(readFileSync(join(user, '.cursor', 'mcp.json'), 'utf8')).mcpServers[name];
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home });
  });
  after(() => program.stop());

  test('writes the address and a token of its own, which has the rights that were asked for and is not shown', async () => {
    const { code, stdout, stderr } = await connect('cursor', '--http', '--only', 'chat', '--scopes', 'chat:read');

    const { url, headers } = cursorEntry();
    const reads = await fetch(`${program.base}/api/v1/sources`, bearer(headers.Authorization));
    const manages = await fetch(`${program.base}/api/v1/tokens`, bearer(headers.Authorization));
    const [token] = await tokens();
    assert.equal(code, 0, stderr);
    assert.equal(url, `${program.base}/mcp/chat`);
    assert.match(headers.Authorization, /^Bearer swb_/);
    assert.deepEqual([reads.status, manages.status], [200, 403]);
    assert.deepEqual(token?.scopes, ['chat:read']);
    assert.equal(stdout.includes('swb_'), false);
    assert.match(stdout, /Its token is called connect-cursor\.[0-9a-f]{8}\.\n.*\n?.*It is the first token/);
    assert.equal(statSync(join(user, '.cursor', 'mcp.json')).mode & 0o777, 0o600);
  });

  test('a second call replaces the token, and --remove revokes it', async () => {
    const former = cursorEntry().headers.Authorization;
    await connect('cursor', '--http');
    const current = cursorEntry().headers.Authorization;

    const [beforeRemoval, replaced] = await Promise.all([
      fetch(`${program.base}/api/v1/status`, bearer(current)),
      fetch(`${program.base}/api/v1/status`, bearer(former)),
    ]);
    const removed = await connect('cursor', '--remove');
    const afterRemoval = await fetch(`${program.base}/api/v1/status`, bearer(current));

    assert.deepEqual([beforeRemoval.status, replaced.status], [200, 401]);
    assert.match(removed.stdout, /^Disconnected cursor in .*\nIts token is revoked\./, removed.stderr);
    assert.equal(afterRemoval.status, 401);
    assert.deepEqual(await tokens(), []);
    assert.equal(existsSync(join(user, '.cursor')), false);
  });

  test('a printed entry has no token, and none is issued; neither for a file that cannot be changed', async () => {
    writeFileSync(join(user, '.claude.json'), '{"a": ');

    const printed = await connect('codex', '--http', '--print');
    const broken = await connect('claude-code', '--http');

    assert.match(printed.stdout, /\[mcp_servers\.switchboard\]\nurl = .*\n\n.*\nAuthorization = "Bearer <token>"/);
    assert.match(broken.stderr, /is not JSON/);
    assert.deepEqual(await tokens(), []);
  });

  test('says that others can read the file, and refuses a program that takes no addresses', async () => {
    mkdirSync(join(user, '.qwen'));
    writeFileSync(join(user, '.qwen', 'settings.json'), '{}');
    chmodSync(join(user, '.qwen', 'settings.json'), 0o644);

    const open = await connect('qwen', '--http', '--chats', 'ops:*');
    const desktop = await connect('claude-desktop', '--http');

    assert.match(open.stdout, /Other users of this machine can read .*settings\.json/, open.stderr);
    assert.equal(desktop.code, 2);
    assert.match(desktop.stderr, /Claude Desktop takes no addresses/);
    assert.deepEqual(
      (await tokens()).map(({ name }) => name.replace(/\..*/, '')),
      ['connect-qwen'],
    );
    await connect('qwen', '--remove');
  });
});
