import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('switchboard db restore', () => {
  test('is refused while a process owns the home, and otherwise restores the content of the backup', async () => {
    const home = join(temporaryFolder(after), 'home');
    const copy = join(home, 'copy.db');
    // Without a daemon, no process owns the home after the server has exited.
    const env = { SWITCHBOARD_DAEMON__AUTOSTART: 'false' };
    const cli = (...args: string[]) => runProgram([...args, '--json'], { home, env });
    const server = await startHttp({ home, env });
    await cli('token', 'add', 'before', '--scopes', 'chat:read');
    await cli('db', 'backup', copy);
    await cli('token', 'add', 'after', '--scopes', 'chat:read');

    const refused = await cli('db', 'restore', copy);
    await server.stop();
    const restored = await cli('db', 'restore', copy);
    const tokens = await cli('token', 'list');

    assert.equal(refused.code, 1);
    assert.equal(JSON.parse(refused.stderr).error.code, 'CONFLICT');
    assert.equal(restored.code, 0, restored.stderr);
    const { path, kept } = JSON.parse(restored.stdout);
    assert.equal(path, join(home, 'switchboard.db'));
    assert(existsSync(kept));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(
      JSON.parse(tokens.stdout).tokens.map(({ name }: { name: string }) => name),
      ['before'],
    );
    assert.deepEqual(readdirSync(join(home, 'backups')).length, 1);
  });
});
