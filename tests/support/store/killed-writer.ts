import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the writer reported as stored until it was killed. */
export async function writeUntilKilled(program: string, ...args: string[]): Promise<string[]> {
  const writer = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  writer.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  await Promise.race([once(writer.stdout, 'data'), ended(writer)]);
  await sleep(Math.random() * 120);
  writer.kill('SIGKILL');
  await once(writer, 'close');
  // The last line may be incomplete: it acknowledges nothing.
  return said
    .slice(0, said.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean);
}

async function ended(writer: ChildProcess): Promise<void> {
  const [code] = await once(writer, 'exit');
  assert.fail(`the writer exited by itself (${code})`);
}
