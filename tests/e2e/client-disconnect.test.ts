import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAlive, removeHome, until } from '../support/mcp/shim-program.ts';
import { programEnvironment, programPath } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a client that disconnects while it is being answered leaves no shim behind', async (t) => {
  const home = join(
    temporaryFolder((clean) => t.after(clean)),
    'home',
  );
  t.after(() => removeHome(home));

  const left = await Promise.all([0, 1, 3, 5, 10].map((delay) => vanish(home, delay)));

  for (const pid of left) await until(`the shim ${pid} has exited`, () => !isAlive(pid));
  assert.equal(
    left.every((pid) => pid > 0),
    true,
  );
});

function vanish(home: string, delay: number): Promise<number> {
  const client = join(import.meta.dirname, '..', 'support', 'mcp', 'disconnecting-client.ts');
  return new Promise((resolve) => {
    const options = { env: programEnvironment({ home }), timeout: 120_000 };
    execFile(process.execPath, [client, programPath, String(delay)], options, (_, stdout) => resolve(Number(stdout)));
  });
}
