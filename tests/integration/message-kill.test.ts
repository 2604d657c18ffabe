import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../support/operation-context.ts';
import { writeUntilKilled } from '../support/store/killed-writer.ts';
import type { Store } from '../support/store/open-store.ts';
import { openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = process.env.SOAK ? 100 : 10;
const WRITER = new URL('../support/store/message-writer-program.ts', import.meta.url).pathname;
const PER_BATCH = 20;

test(`killed at ${KILLS} random times, a writer of messages loses no acknowledged batch`, async () => {
  const home = join(temporaryFolder(after), 'home');

  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await writeUntilKilled(WRITER, home, `k${kill}`);
    const store = await openAt(home);

    assert.deepEqual(await store.admin.check(), { ok: true, problems: [] });
    for (const key of acknowledged) assert.equal(await countOf(store, key), PER_BATCH, key);
    await assertTimelineFits(store, `k${kill}`, acknowledged.at(-1));
    const { count } = await store.messages.extent('irc');
    assert.equal(count % PER_BATCH, 0);
    await store.close();
  }
});

test('two processes that record messages concurrently assign unique ids and lose none', async () => {
  const home = join(temporaryFolder(after), 'home');
  const run = promisify(execFile);

  const writers = await Promise.all(['a', 'b'].map((name) => run(process.execPath, [WRITER, home, name, '30'])));

  const store = await openAt(home);
  assert.deepEqual(
    writers.map(({ stderr }) => stderr),
    ['', ''],
  );
  assert.deepEqual(await store.messages.extent('irc').then(({ count }) => count), 2 * 30 * PER_BATCH);
  for (const key of ['ax0', 'bx29', 'ax17']) assert.equal(await countOf(store, key), PER_BATCH, key);
  for (const key of ['x17', 'ord1']) assert.ok((await found(store, 'part', key)) > 0);
  assert.deepEqual(await store.admin.check(), { ok: true, problems: [] });
  await store.close();
});

/** The stored position of a timeline is neither ahead of the stored messages nor behind the acknowledged ones. */
async function assertTimelineFits(store: Store, name: string, last: string | undefined): Promise<void> {
  const timeline = (await store.messages.timelines('irc')).find(({ id }) => id === name);
  if (timeline?.newest === undefined) return assert.equal(last, undefined);
  assert.equal(await countOf(store, timeline.newest), PER_BATCH);
  assert.ok(batchOf(timeline.newest) >= batchOf(last ?? 'x-1'));
}

function batchOf(key: string): number {
  return Number(key.split('x')[1]);
}

function countOf(store: Store, key: string): Promise<number> {
  return found(store, 'words', `shared ${key}`);
}

async function found(store: Store, kind: 'words' | 'part', text: string): Promise<number> {
  return (await store.messages.find({ text: { kind, text } }, { limit: 100 })).messages.length;
}

function openAt(home: string): Promise<Store> {
  return openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
}
