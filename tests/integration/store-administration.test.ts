import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { build } from 'esbuild';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../support/operation-context.ts';
import { message, said } from '../support/store/message-samples.ts';
import type { Store } from '../support/store/open-store.ts';
import { NEWEST_SCHEMA, openStore } from '../support/store/open-store.ts';
import { coded, event, outgoing } from '../support/store/samples.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEGABYTE = 1024 * 1024;

describe('a backup', () => {
  test('is a complete, valid store that only the owner can read, made during concurrent writes', async (t) => {
    const { store, folder } = await start(t);
    await addMegabytes(store, 8);
    const path = join(folder, 'backup.db');
    let done = false;
    const progress: number[] = [];

    const backup = store.admin.backup(path, {
      replace: false,
      progress: (copied, total) => progress.push(copied / total),
    });
    const writing = (async () => {
      for (let n = 0; !done; n++) await store.events.append([event('written-meanwhile', n)]);
    })();
    const result = await backup;
    done = true;
    await writing;

    const copy = new DatabaseSync(path, { readOnly: true });
    assert.equal(copy.prepare('select count(*) as n from outbox').get()?.n, 8);
    assert.equal(copy.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
    copy.close();
    assert.deepEqual(result, { path, bytes: statSync(path).size });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(progress.length > 0);
    assert.deepEqual(progress, progress.toSorted());
    assert.deepEqual(readdirSync(folder).sort(), ['backup.db', 'home']);
  });

  test('opens as a store', async (t) => {
    const { store, folder } = await start(t);
    await store.outbox.add(outgoing({}));
    mkdirSync(join(folder, 'restored'));
    await store.admin.backup(join(folder, 'restored', 'switchboard.db'), { replace: false });

    const restored = await openIn(join(folder, 'restored'), t);

    assert.deepEqual(await restored.outbox.list(), await store.outbox.list());
  });

  test('replaces a file only with the replace option', async (t) => {
    const { store, folder } = await start(t);
    const path = join(folder, 'precious');
    writeFileSync(path, 'precious');

    await assert.rejects(store.admin.backup(path, { replace: false }), coded('CONFLICT'));
    assert.equal(readFileSync(path, 'utf8'), 'precious');
    await store.admin.backup(path, { replace: true });

    assert.equal(readFileSync(path).subarray(0, 6).toString(), 'SQLite');
  });

  test('requires a file name in an existing folder, and refuses the store itself', async (t) => {
    const { store, folder } = await start(t);

    for (const path of [folder, join(folder, 'missing', 'x'), join(folder, 'home', 'switchboard.db')]) {
      await assert.rejects(store.admin.backup(path, { replace: true }), coded('VALIDATION_ERROR'));
    }
  });

  test('can be made of an in-memory store', async (t) => {
    const folder = temporaryFolder((clean) => t.after(clean));
    const store = await openStore({ url: 'sqlite::memory:', home: folder, clock: systemClock, log: silentLog });
    t.after(() => store.close());
    await store.outbox.add(outgoing({}));

    await store.admin.backup(join(folder, 'switchboard.db'), { replace: false });

    assert.equal((await (await openIn(folder, t)).outbox.list()).length, 1);
  });
});

describe('the integrity check', () => {
  test('reports damage in the file', async (t) => {
    const { store, path } = await start(t);
    await addMegabytes(store, 1);
    await store.close();
    damage(path);
    const reopened = await openIn(join(path, '..'), t);

    const { ok, problems } = await reopened.admin.check();

    assert.equal(ok, false);
    assert.ok(problems.length > 0);
  });

  test('reports an unknown migration', async (t) => {
    const { store, path } = await start(t);
    const other = new DatabaseSync(path);
    other.exec(`update switchboard_migrations set checksum = 'other'`);
    other.close();

    const { ok, problems } = await store.admin.check();

    assert.equal(ok, false);
    assert.match(problems.join(), /Migration 1 \(foundation\)/);
  });

  test('reports messages missing from the search index, and a damaged index', async (t) => {
    const { store, path } = await start(t);
    await store.messages.record({ source: 'irc', events: said([message('a'), message('b')]), origin: 'import' });
    const other = new DatabaseSync(path, { defensive: false });
    other.exec('delete from message_words where rowid = (select max(id) from messages)');

    const { problems } = await store.admin.check();
    other.exec('update message_words_data set block = zeroblob(length(block)) where id > 100');
    other.close();
    const { problems: worse } = await store.admin.check();

    assert.deepEqual(problems, ['1 messages are missing from the full-text index.']);
    assert.match(worse.join(), /fts5: corruption/);
  });

  test('reports a file that is no longer a database', async (t) => {
    const { store, path } = await start(t);
    await store.close();
    const fresh = await openIn(join(path, '..'), t);
    writeFileSync(path, 'x'.repeat(10_000));

    const { ok, problems } = await fresh.admin.check();

    assert.equal(ok, false);
    assert.match(problems.join(), /not a store of Switchboard|damaged/);
  });
});

describe('vacuum', () => {
  test('reclaims space, while writes wait', async (t) => {
    const { store } = await start(t);
    for (let n = 0; n < 8; n++)
      await store.events.append([{ ...event('large', n), data: { text: 'x'.repeat(MEGABYTE) } }]);
    await store.events.prune(Date.now() + 1);

    const [{ bytesBefore, bytesAfter }] = await Promise.all([store.admin.vacuum(), store.outbox.add(outgoing({}))]);

    assert.ok(bytesBefore > 8 * MEGABYTE);
    assert.ok(bytesAfter < MEGABYTE);
    assert.equal((await store.admin.report()).bytes < MEGABYTE, true);
    assert.equal((await store.outbox.list()).length, 1);
  });
});

test('closing the store ends running and starting jobs with a clear error', async (t) => {
  const { store, folder } = await start(t);
  const closed = coded('SERVICE_UNAVAILABLE');

  const check = assert.rejects(store.admin.check(), closed);
  await new Promise((resolve) => setImmediate(resolve)); // its worker is being started
  const backup = assert.rejects(store.admin.backup(join(folder, 'x.db'), { replace: false }), closed);
  await store.close();
  await Promise.all([check, backup]);

  assert.deepEqual(readdirSync(folder), ['home']);
});

test('the bundled program finds its worker and its migrations', async (t) => {
  const folder = temporaryFolder((clean) => t.after(clean));
  const root = new URL('../..', import.meta.url).pathname;
  const probe = `
    import { openStore } from './tests/support/store/open-store.ts';
    const store = await openStore({ url: 'sqlite', home: ${JSON.stringify(join(folder, 'home'))}, clock: { now: Date.now }, log: {} });
    process.stdout.write(JSON.stringify([await store.admin.check(), (await store.admin.report()).schema]));
    await store.close();`;
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const outdir = join(folder, 'dist');
  const common = { bundle: true, format: 'esm', platform: 'node', outdir } as const;
  await build({ ...common, stdin: { contents: probe, resolveDir: root, sourcefile: 'probe.ts' }, entryNames: 'probe' });
  await build({ ...common, entryPoints: { 'store-worker': join(root, 'src/storage/sqlite/worker.ts') } });

  const output = execFileSync(process.execPath, [join(outdir, 'probe.js')], { encoding: 'utf8' });

  assert.deepEqual(JSON.parse(output), [{ ok: true, problems: [] }, NEWEST_SCHEMA]);
});

async function start(t: TestContext): Promise<{ store: Store; folder: string; path: string }> {
  const folder = temporaryFolder((clean) => t.after(clean));
  const store = await openIn(join(folder, 'home'), t);
  return { store, folder, path: join(folder, 'home', 'switchboard.db') };
}

async function openIn(home: string, t: TestContext): Promise<Store> {
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
  t.after(() => store.close());
  return store;
}

async function addMegabytes(store: Store, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await store.outbox.add(outgoing({ payload: { text: 'x'.repeat(MEGABYTE) } }));
}

/** Damages the root page of an index, as a failing disk would. */
function damage(path: string): void {
  const db = new DatabaseSync(path);
  const page = Number(db.prepare(`select rootpage from sqlite_schema where name = 'outbox_by_state'`).get()?.rootpage);
  db.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, (page - 1) * 4_096 + 8, page * 4_096);
  writeFileSync(path, bytes);
}
