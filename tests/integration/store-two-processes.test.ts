import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../support/operation-context.ts';
import { openStore } from '../support/store/open-store.ts';
import { event, numbers, outgoing } from '../support/store/samples.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const WRITER = new URL('../support/store/writer-program.ts', import.meta.url).pathname;
const run = promisify(execFile);
const folder = temporaryFolder(after);

test('two processes that write to the same new store migrate it once, and lose or duplicate nothing', async () => {
  const home = join(folder, 'two');

  const writers = await Promise.all(['a', 'b'].map((name) => run(process.execPath, [WRITER, home, name, '150'])));

  const db = new DatabaseSync(join(home, 'switchboard.db'));
  const count = (sql: string) => db.prepare(sql).get()?.n;
  assert.deepEqual(
    writers.map(({ stderr }) => stderr),
    ['', ''],
  );
  assert.equal(count('select count(*) as n from outbox'), 300);
  assert.equal(count('select count(distinct idempotency_key) as n from outbox'), 300);
  assert.equal(count(`select count(*) as n from outbox where state = 'sent' and attempts = 1`), 300);
  assert.equal(count('select count(*) as n from sessions'), 300);
  assert.equal(count('select count(*) as n from events'), 300 * 6);
  assert.equal(count('select max(number) as n from events'), 300 * 6);
  db.close();
});

test('a listener receives events of another process, before later events of its own process', async () => {
  const home = join(folder, 'heard');
  const [one, other] = [await openAt(home), await openAt(home)];
  const heard: number[] = [];
  const complete = Promise.withResolvers<void>();
  one.events.listen((events) => {
    heard.push(...numbers(events));
    if (heard.length === 5) complete.resolve();
  });

  await one.events.append([event('own', 1)]);
  await other.events.append([event('other', 2), event('other', 3)]);
  await one.events.append([event('own', 4), event('own', 5)]);
  await complete.promise;

  assert.deepEqual(heard, [1, 2, 3, 4, 5]);
  await Promise.all([one.close(), other.close()]);
});

test('each item of the outbox is taken by only one of several processes', async () => {
  const home = join(folder, 'taken');
  const takers = [await openAt(home), await openAt(home)];
  for (let n = 0; n < 20; n++) await takers[n % 2]?.outbox.add(outgoing({}));

  const taken = await Promise.all(Array.from({ length: 24 }, (_, n) => takers[n % 2]?.outbox.take(['chat'])));

  assert.equal(new Set(taken.map((item) => item?.id)).size, 21);
  assert.equal(taken.filter((item) => item === undefined).length, 4);
  await Promise.all(takers.map((taker) => taker.close()));
});

function openAt(home: string) {
  return openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
}
