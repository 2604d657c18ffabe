import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const source = join(import.meta.dirname, '..', '..', 'src', 'lib', 'make-folder.ts');

/** Creates the same folders at the same times as the other processes. */
const PROGRAM = `
const { makeFolder } = await import(process.argv[1]);
const beginning = Number(process.argv[3]);
for (let count = 0; count < 200; count++) {
  while (Date.now() < beginning + 2 * count);
  makeFolder(\`\${process.argv[2]}/\${count}/a/b/c\`);
}
`;

test('several processes can create the same folders concurrently', async () => {
  const beginning = String(Date.now() + 1_000);

  const processes = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, source, folder, beginning], {
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
  const results = await Promise.all(
    processes.map(async (started) => [await text(started.stderr), ...(await once(started, 'close'))]),
  );

  assert.deepEqual(results, Array(3).fill(['', 0, null]));
});
