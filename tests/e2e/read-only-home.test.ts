import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { processesOf, removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { mountSmallDisk } from '../support/store/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A read-only home: on a disk mounted read-only or, if none can be mounted, without write permission. */
async function readOnlyHome(context: TestContext, isUsed: boolean): Promise<string> {
  const cleaning: (() => void)[] = [];
  context.after(() => {
    for (const clean of cleaning.toReversed()) clean();
  });
  const disk = mountSmallDisk(16 * 1024 * 1024, (clean) => cleaning.push(clean));
  const folder = disk?.path ?? temporaryFolder((clean) => cleaning.push(clean));
  const home = join(folder, 'home');
  cleaning.push(() => {
    disk?.setWritable(true);
    for (const place of [folder, ...(isUsed ? [home] : [])]) chmodSync(place, 0o700);
    removeHome(home);
  });
  if (isUsed) {
    await runProgram(['sessions', 'list'], { home });
    await runProgram(['daemon', 'stop'], { home });
    await until('the daemon has exited', () => processesOf(home).length === 0);
  }
  if (disk) disk.setWritable(false);
  else if (isUsed) for (const name of ['run', 'logs', '']) chmodSync(join(home, name), 0o500);
  else chmodSync(folder, 0o500);
  return home;
}

describe('a read-only home', () => {
  const commands = {
    mcp: ['mcp'],
    'mcp --embedded': ['mcp', '--embedded'],
    serve: ['serve', '--port', '0'],
    'a command': ['sessions', 'list'],
  };
  for (const isUsed of [false, true]) {
    for (const [name, args] of Object.entries(commands)) {
      test(`${name}, ${isUsed ? 'used before' : 'not created yet'}: an error with a hint, exit code 1, and no process is left`, async (context) => {
        const home = await readOnlyHome(context, isUsed);

        const { code, stdout, stderr } = await runProgram(args, { home });
        await until('no process is left', () => processesOf(home).length === 0);

        assert.deepEqual([code, stdout], [1, '']);
        assert.match(stderr, /(cannot be (written|made|taken)|is read-only)/);
        assert.match(stderr, /SWITCHBOARD_HOME can name another folder|Make the file and its folder writable/);
        assert.doesNotMatch(stderr, /EROFS|EACCES|SQLITE|\n\s+at /);
      });
    }
  }
});
