import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { secretsIn } from '../support/secrets/open-secrets.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = process.env.SOAK ? 100 : 25;
const WRITER = new URL('../support/secrets/writer-program.ts', import.meta.url).pathname;

describe('secrets and concurrent or killed processes', () => {
  test(`killed at ${KILLS} random times, a process that sets secrets loses none and leaves no temporary files`, async () => {
    const home = temporaryFolder(after);
    const acknowledged: string[] = [];

    for (let kill = 0; kill < KILLS; kill++) {
      acknowledged.push(...(await killedAtRandom(home, 'set', `k${kill}`, 40)));

      await assertReadable(home, acknowledged.slice(-200));
    }

    await assertReadable(home, acknowledged);
    await assertTidy(home);
  });

  test(`killed at ${KILLS} random times, a rotation leaves every secret readable and is completed by the next use`, async () => {
    const home = temporaryFolder(after);
    const stored = await untilItEnds(startWriter(home, 'set', 'k', 24));

    for (let kill = 0; kill < KILLS; kill++) {
      await killedAtRandom(home, 'rotate', `r${kill}`, 80);

      await assertReadable(home, stored);
      assert.equal(statSync(join(home, 'secrets', 'master.key')).size, 32);
    }

    await assertTidy(home);
  });

  test('processes that set and rotate concurrently lose no changes', async () => {
    const home = temporaryFolder(after);

    const [one, other] = await Promise.all([
      untilItEnds(startWriter(home, 'set', 'one', 40)),
      untilItEnds(startWriter(home, 'set', 'other', 40)),
      untilItEnds(startWriter(home, 'rotate', 'rotation', 5)),
    ]);

    assert.equal(one.length + other.length, 80);
    await assertReadable(home, [...one, ...other]);
    await assertTidy(home);
  });

  test('a reader finds every secret while other processes rotate', async () => {
    const home = temporaryFolder(after);
    const stored = await untilItEnds(startWriter(home, 'set', 'k', 8));
    let ended = false;
    const rotating = untilItEnds(startWriter(home, 'rotate', 'r', 10)).finally(() => {
      ended = true;
    });

    while (!ended) await assertReadable(home, stored);

    assert.equal((await rotating).length, 10);
  });
});

interface Writer {
  process: ReturnType<typeof spawn>;
  said: string[];
}

function startWriter(home: string, action: 'set' | 'rotate', name: string, steps?: number): Writer {
  const args = [WRITER, home, action, name, ...(steps === undefined ? [] : [String(steps)])];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  writer.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return { process: writer, said };
}

/** The steps that it acknowledged. */
async function untilItEnds(writer: Writer): Promise<string[]> {
  const [code] = await once(writer.process, 'close');
  assert.equal(code, 0);
  return linesOf(writer);
}

async function killedAtRandom(
  home: string,
  action: 'set' | 'rotate',
  name: string,
  withinMs: number,
): Promise<string[]> {
  const writer = startWriter(home, action, name);
  assert(writer.process.stdout);
  await Promise.race([once(writer.process.stdout, 'data'), once(writer.process, 'close')]);
  await sleep(Math.random() * withinMs);
  assert(writer.process.kill('SIGKILL'), 'the process exited before it was killed');
  await once(writer.process, 'close');
  return linesOf(writer);
}

/** An incomplete last line acknowledges nothing. */
function linesOf({ said }: Writer): string[] {
  return said.join('').split('\n').slice(0, -1);
}

async function assertReadable(home: string, acknowledged: readonly string[]): Promise<void> {
  const secrets = secretsIn(home);
  for (const line of acknowledged) {
    const [group = '', name = ''] = line.split(' ');
    assert.equal(await secrets.get(group, name), `value of ${name}`);
  }
}

/** After the next change there is no lock, no half-written file and no second key. */
async function assertTidy(home: string): Promise<void> {
  await secretsIn(home).set('shared', 'LAST', 'a last value');
  const files = readdirSync(join(home, 'secrets'));
  assert.deepEqual(
    files.filter((file) => !file.endsWith('.json')),
    ['master.key'],
  );
  assert.equal(statSync(join(home, 'secrets', 'master.key')).size, 32);
}
