import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../support/cli/cli-program.ts', import.meta.url));

function start(...args: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args]);
}

describe('the command line as a process', () => {
  test('eight megabytes reach a reader that starts late, including the last byte', async () => {
    const child = start('flood', '--bytes', String(8 * 1024 * 1024), '--json');
    await once(child.stdout, 'readable');

    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);

    assert.equal(code, 0);
    assert.equal(JSON.parse(output).text.length, 8 * 1024 * 1024);
    assert(output.endsWith('"}\n'));
  });

  test('closing the output early ends the program without an error message', async () => {
    const child = start('flood', '--bytes', String(8 * 1024 * 1024));
    const errors = text(child.stderr);
    await once(child.stdout, 'readable');
    child.stdout.read(100);
    child.stdout.destroy();

    const [code, signal] = await once(child, 'close');

    assert.deepEqual([code, signal, await errors], [0, null, '']);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} stops the operation and is reported`, async () => {
      const child = start('wait');
      const errors = text(child.stderr);
      await once(child.stderr, 'readable');
      child.kill(signal);

      const [code] = await once(child, 'close');

      assert.deepEqual([code, await errors], [1, 'waiting\nInterrupted.\n']);
    });
  }

  test('standard input that is never closed does not keep the program running', async () => {
    const child = start('flood', '--bytes=1', '--json');

    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);

    assert.deepEqual([code, output], [0, '{"text":"x"}\n']);
  });
});
