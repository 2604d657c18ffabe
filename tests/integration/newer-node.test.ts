import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NEWER_NODE = new URL('../../src/lib/newer-node.ts', import.meta.url).href;

test('on an old Node the program restarts with the checkout’s Node and passes on arguments, input and exit code', async (t) => {
  const program = checkout(t, 'process.stdin.pipe(process.stdout); process.exitCode = process.argv.length;');

  const child = runAgain(program, ['one', 'two']);
  child.stdin?.end('what was typed');
  const [output, [code]] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'exit')]);

  assert.equal(output, 'what was typed');
  assert.equal(code, 4);
});

test('a signal is passed on to the restarted program, and its exit code is returned', async (t) => {
  const program = checkout(
    t,
    `process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('up');`,
  );

  const child = runAgain(program, []);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');

  assert.equal(code, 7);
});

test('if the restarted program is ended by a signal, the caller sees the same signal', async (t) => {
  const program = checkout(t, `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`);

  const child = runAgain(program, []);
  const [, signal] = await once(child, 'exit');

  assert.equal(signal, 'SIGTERM');
});

test('without a Node in the checkout the program prints the required version and exits with 1', async (t) => {
  const program = join(temporaryFolder(t.after.bind(t)), 'dist/cli.js');

  const child = runAgain(program, []);
  const [output, [code]] = await Promise.all([text(child.stderr as NodeJS.ReadableStream), once(child, 'exit')]);

  assert.match(output, /^Switchboard needs Node 24 or newer, and this is [\d.]+\..*\n$/);
  assert.equal(code, 1);
});

/** A folder with a program in `dist` and a Node in `node_modules`. */
function checkout(t: TestContext, code: string): string {
  const folder = temporaryFolder(t.after.bind(t));
  for (const name of ['dist', 'node_modules/.bin']) mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  writeFileSync(join(folder, 'dist/cli.js'), code);
  return join(folder, 'dist/cli.js');
}

function runAgain(program: string, args: readonly string[]): ChildProcess {
  const code = `
    import { pathToFileURL } from 'node:url';
    import { runAgainWithNewerNode } from ${JSON.stringify(NEWER_NODE)};
    runAgainWithNewerNode(pathToFileURL(process.argv[1]).href, process.argv.slice(2), 24);
  `;
  return spawn(process.execPath, ['--input-type=module', '--eval', code, '--', program, ...args]);
}
