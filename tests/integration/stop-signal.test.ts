import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';

const MODULE = new URL('../../src/lib/stop-signal.ts', import.meta.url).href;

/** Prints the reason when it is asked to stop, and keeps running. */
const PROGRAM = `
  const { stopSignal } = await import(${JSON.stringify(MODULE)});
  const stop = stopSignal({ withParent: process.argv.includes('--with-parent') });
  stop.addEventListener('abort', () => console.log('stop: ' + stop.reason));
  setInterval(() => {}, 1_000);
  console.log('ready ' + process.pid);
`;

describe('a process that is asked to stop', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`CHAT-03 by ${signal} is notified and may finish; at the second signal it exits immediately`, async () => {
      const child = run(process.execPath, ['--input-type=module', '-e', PROGRAM]);
      const lines = linesOf(child);
      await lines.next();

      child.kill(signal);
      const told = await lines.next();
      child.kill(signal);
      const [code] = await once(child, 'exit');

      assert.equal(told.value, `stop: ${signal}`);
      assert.equal(code, 1);
    });
  }

  test('by the exit of its parent process is notified', async () => {
    // The shell starts the program in the background and waits to be killed; the program keeps its output open.
    const command = `"$0" --input-type=module -e "$1" -- --with-parent & wait`;
    const shell = run('sh', ['-c', command, process.execPath, PROGRAM]);
    const lines = linesOf(shell);
    const pid = Number(String((await lines.next()).value).split(' ')[1]);

    shell.kill('SIGKILL');
    const told = await lines.next();
    process.kill(pid, 'SIGKILL');

    assert.equal(told.value, 'stop: parent gone');
  });
});

function run(command: string, args: readonly string[]): ChildProcess {
  return spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  assert.ok(stdout);
  return createInterface({ input: stdout })[Symbol.asyncIterator]();
}
