import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import type { OutboxStore } from '../../src/outbox/ports.ts';
import { createMessageStore } from '../../src/storage/sqlite/chat/messages.ts';
import type { Database } from '../../src/storage/sqlite/database.ts';
import { createOutboxStore } from '../../src/storage/sqlite/outbox/items.ts';
import { silentLog } from '../support/operation-context.ts';
import { message, said } from '../support/store/message-samples.ts';
import { openDatabase, openStore } from '../support/store/open-store.ts';
import { coded, outgoing } from '../support/store/samples.ts';
import { mountSmallDisk } from '../support/store/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEGABYTE = 1024 * 1024;

describe('a full disk', () => {
  test('limited by pages: writes fail with a clear error, nothing is lost, and writing resumes when there is space', async (t) => {
    const { db, outbox } = await openIn(
      temporaryFolder((clean) => t.after(clean)),
      t,
    );
    await limitPages(db, 120);

    const stored = await fillUp(outbox);
    await limitPages(db, 10_000);
    await outbox.add(outgoing({}));

    assert.ok(stored > 0);
    assert.equal((await outbox.list({ limit: 10_000 })).length, stored + 1);
  });

  test('limited by bytes: writes fail with a clear error, nothing is lost, and writing resumes when there is space', async (t) => {
    const { folder, makeFull, makeRoom } = diskThatFills(t);
    const { db, outbox } = await openIn(folder, t);
    await outbox.add(outgoing({}));
    await makeFull(db);

    const stored = await fillUp(outbox);
    await makeRoom(db);
    await outbox.add(outgoing({}));

    assert.equal((await outbox.list({ limit: 10_000 })).length, stored + 2);
    const check = await db.read((reader) => reader.get('pragma integrity_check'));
    assert.deepEqual({ ...check }, { integrity_check: 'ok' });
  });

  test('stores a batch of messages completely or not at all', async (t) => {
    const { folder, makeFull, makeRoom } = diskThatFills(t);
    const db = await openDatabase({ location: join(folder, 'store.db'), clock: systemClock });
    t.after(() => db.close());
    const messages = createMessageStore(db, systemClock);
    const record = (batch: number) =>
      messages.record({
        source: 'irc',
        origin: 'import',
        events: said(
          Array.from({ length: 20 }, (_, n) => message(`m${batch}x${n}`, { text: `word${batch} `.repeat(50) })),
        ),
      });
    await record(0);
    await makeFull(db);

    let stored = 1;
    const recordForever = async () => {
      for (; ; stored += 1) await record(stored);
    };
    await assert.rejects(recordForever(), full);
    await assert.rejects(recordForever(), full);
    await makeRoom(db);
    const last = await record(stored);

    assert.deepEqual(last, { added: 20, changed: 0, known: 0 });
    assert.equal((await messages.extent('irc')).count, (stored + 1) * 20);
    for (const kind of ['words', 'part'] as const) {
      const found = await messages.find({ text: { kind, text: `word${stored}` } }, { limit: 100 });
      assert.equal(found.messages.length, 20);
    }
    const check = await db.read((reader) => reader.get('pragma integrity_check'));
    assert.deepEqual({ ...check }, { integrity_check: 'ok' });
  });

  test('no store can be created, until there is space', async (t) => {
    const disk = mountSmallDisk(MEGABYTE, (clean) => t.after(clean));
    const folder = disk?.path ?? temporaryFolder((clean) => t.after(clean));
    if (disk) fillWith(disk.path);
    const open = () => openDatabase({ location: join(folder, 'home', 'store.db'), clock: systemClock });

    if (disk) await assert.rejects(open(), full);
    rmSync(join(folder, 'ballast'), { force: true });
    const db = await open();

    assert.deepEqual(await createOutboxStore(db, systemClock).list(), []);
    await db.close();
  });
});

describe('a read-only disk', () => {
  test('that became read-only: writes fail with a clear error, and the same store works when it is writable again', async (t) => {
    const { db, outbox } = await openIn(
      temporaryFolder((clean) => t.after(clean)),
      t,
    );
    await outbox.add(outgoing({}));
    await queryOnly(db, true);

    await assert.rejects(outbox.add(outgoing({})), readOnly);
    await queryOnly(db, false);
    await outbox.add(outgoing({}));

    assert.equal((await outbox.list()).length, 2);
  });

  test('with a store that was not closed: it can be read, and written once the disk is writable', async (t) => {
    const disk = mountSmallDisk(MEGABYTE, (clean) => t.after(clean));
    const folder = disk?.path ?? temporaryFolder((clean) => t.after(clean));
    await leaveAsAfterCrash(folder);
    disk?.setWritable(false);
    const { db, outbox } = await openIn(folder, t);
    if (!disk) await queryOnly(db, true);

    assert.equal((await outbox.list()).length, 1);
    await assert.rejects(outbox.add(outgoing({})), readOnly);
    disk?.setWritable(true);
    await outbox.add(outgoing({}));

    assert.equal((await outbox.list()).length, 2);
  });

  test('with a store that was closed: opening fails with a clear error until the disk is writable', async (t) => {
    const disk = mountSmallDisk(MEGABYTE, (clean) => t.after(clean));
    const home = disk?.path ?? temporaryFolder((clean) => t.after(clean));
    const open = () => openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
    await (await open()).close();
    disk?.setWritable(false);

    if (disk) await assert.rejects(open(), readOnly);
    disk?.setWritable(true);
    const store = await open();

    await store.outbox.add(outgoing({}));
    await store.close();
  });
});

test('a backup onto a full disk fails with a clear error and leaves nothing behind', async (t) => {
  const disk = mountSmallDisk(MEGABYTE, (clean) => t.after(clean));
  const home = temporaryFolder((clean) => t.after(clean));
  const folder = disk?.path ?? temporaryFolder((clean) => t.after(clean));
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
  t.after(() => store.close());
  await store.outbox.add(outgoing({ payload: { text: 'x'.repeat(2 * MEGABYTE) } }));

  // If nothing can be mounted, a missing folder replaces a disk without space.
  const target = disk ? join(folder, 'backup.db') : join(folder, 'missing', 'backup.db');
  const refused = disk ? (error: unknown) => full(error) && String(error).includes(target) : coded('VALIDATION_ERROR');
  await assert.rejects(store.admin.backup(target, { replace: false }), refused);

  assert.deepEqual(readdirSync(folder), []);
  assert.equal((await store.outbox.list()).length, 1);
});

async function openIn(folder: string, t: TestContext): Promise<{ db: Database; outbox: OutboxStore }> {
  const db = await openDatabase({ location: join(folder, 'store.db'), clock: systemClock });
  t.after(() => db.close());
  return { db, outbox: createOutboxStore(db, systemClock) };
}

/** Adds items until the disk refuses, twice, and returns how many were acknowledged. */
async function fillUp(outbox: OutboxStore): Promise<number> {
  const large = outgoing({ payload: { text: 'x'.repeat(10_000) } });
  let stored = 0;
  const addForever = async () => {
    for (;;) {
      await outbox.add(large);
      stored += 1;
    }
  };
  await assert.rejects(addForever(), full);
  await assert.rejects(addForever(), full);
  return stored;
}

async function limitPages(db: Database, pages: number): Promise<void> {
  await db.read((reader) => reader.get(`pragma max_page_count = ${pages}`));
}

/** A real file system if one can be mounted, otherwise a limit on the number of pages. */
function diskThatFills(t: TestContext) {
  const disk = mountSmallDisk(MEGABYTE, (clean) => t.after(clean));
  if (!disk) {
    const folder = temporaryFolder((clean) => t.after(clean));
    return {
      folder,
      makeFull: (db: Database) => limitPages(db, 120),
      makeRoom: (db: Database) => limitPages(db, 10_000),
    };
  }
  const ballast = join(disk.path, 'ballast');
  return {
    folder: disk.path,
    makeFull: async () => writeFileSync(ballast, Buffer.alloc(MEGABYTE / 4)),
    makeRoom: async () => rmSync(ballast),
  };
}

/** The files as a killed process leaves them: one item, still in the WAL. */
async function leaveAsAfterCrash(folder: string): Promise<void> {
  const elsewhere = temporaryFolder(() => {});
  const db = await openDatabase({ location: join(elsewhere, 'store.db'), clock: systemClock });
  await createOutboxStore(db, systemClock).add(outgoing({}));
  cpSync(elsewhere, folder, { recursive: true });
  await db.close();
  rmSync(elsewhere, { recursive: true });
}

/** SQLite then returns the same error as on a disk that was remounted read-only. */
async function queryOnly(db: Database, on: boolean): Promise<void> {
  await db.read((reader) => reader.get(`pragma query_only = ${on ? 1 : 0}`));
}

function fillWith(folder: string): void {
  assert.throws(() => {
    for (;;) writeFileSync(join(folder, 'ballast'), Buffer.alloc(4_096), { flag: 'a' });
  }, /ENOSPC/);
}

function full(error: unknown): boolean {
  return coded('SERVICE_UNAVAILABLE')(error) && /disk is full; a change could not be stored/.test(String(error));
}

function readOnly(error: unknown): boolean {
  return coded('SERVICE_UNAVAILABLE')(error) && /read-only/.test(String(error));
}
