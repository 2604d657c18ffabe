import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openLoopback } from '../support/outbox/loopback-network.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = process.env.SOAK ? 200 : 30;
const SENDER = new URL('../support/outbox/sender-program.ts', import.meta.url).pathname;

test(`a sender killed ${KILLS} times at random loses no message and sends none twice`, async (context) => {
  const home = join(temporaryFolder(after), 'home');
  const { port, taken } = await openLoopback((close) => context.after(close));
  const accepted: string[] = [];

  for (let kill = 0; kill < KILLS; kill += 1) accepted.push(...(await sendUntilKilled(home, port, `k${kill}`)));
  await sendTheRest(home, port);

  const texts = taken.map(({ text }) => text);
  assert.ok(accepted.length >= KILLS);
  assert.deepEqual(twice(texts), [], 'sent twice');
  assert.deepEqual(
    accepted.filter((text) => !texts.includes(text)),
    [],
    'lost',
  );
});

/** Texts that it reported as stored in the outbox before it was killed. */
async function sendUntilKilled(home: string, port: number, name: string): Promise<string[]> {
  const sender = start(home, port, name);
  let said = '';
  sender.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  await Promise.race([once(sender.stdout, 'data'), once(sender, 'exit')]);
  await pause(Math.random() * 200);
  sender.kill('SIGKILL');
  await once(sender, 'close');
  // The last line may be incomplete: then it was not reported.
  return said.split('\n').slice(0, -1);
}

async function sendTheRest(home: string, port: number): Promise<void> {
  const sender = start(home, port, '');
  const [code] = await once(sender, 'exit');
  assert.equal(code, 0);
}

function start(home: string, port: number, name: string) {
  const sender = spawn(process.execPath, [SENDER, home, String(port), name], { stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => sender.kill('SIGKILL'));
  return sender;
}

function twice(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}
