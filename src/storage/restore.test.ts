import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { MIGRATIONS, openStore } from '../../tests/support/store/open-store.ts';
import { coded, ids, saveNew } from '../../tests/support/store/samples.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { systemClock } from '../lib/clock.ts';
import { restoreStore } from './restore.ts';

const open = (home: string) => openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });

/** A store with the session `new`, and a backup from when it had only `old`. */
async function setting() {
  const home = temporaryFolder(after);
  const copy = join(home, 'copy.db');
  const store = await open(home);
  await saveNew(store, 'old');
  await store.admin.backup(copy, { replace: false });
  await saveNew(store, 'new');
  await store.close();
  const location = join(home, 'switchboard.db');
  const keepAs = join(home, 'backups', 'kept.db');
  const restore = (from = copy) => restoreStore({ from, location, keepAs, migrations: MIGRATIONS });
  return { home, copy, location, keepAs, restore };
}

async function sessionsIn(home: string): Promise<string[]> {
  const store = await open(home);
  const sessions = ids(await store.sessions.list());
  await store.close();
  return sessions;
}

describe('restoring the store', () => {
  test('replaces the store by the backup, keeps the previous store, and does not change the backup', async () => {
    const { home, copy, location, keepAs, restore } = await setting();
    const before = readFileSync(copy);

    const result = await restore();

    assert.partialDeepStrictEqual(result, { kept: keepAs, bytes: statSync(location).size });
    assert.deepEqual(await sessionsIn(home), ['old']);
    assert.deepEqual(readFileSync(copy), before);
    assert.deepEqual(readdirSync(home).sort(), ['backups', 'copy.db', 'switchboard.db']);
    assert.equal(statSync(location).mode & 0o777, 0o600);
    const again = join(home, 'again');
    mkdirSync(again);
    writeFileSync(join(again, 'switchboard.db'), readFileSync(keepAs));
    assert.deepEqual(await sessionsIn(again), ['old', 'new']);
  });

  test('a store that cannot be read is kept unchanged, with its WAL', async () => {
    const { home, location, keepAs, restore } = await setting();
    writeFileSync(location, 'rubbish');
    writeFileSync(`${location}-wal`, 'more rubbish');

    await restore();

    assert.deepEqual(await sessionsIn(home), ['old']);
    assert.equal(readFileSync(keepAs, 'utf8'), 'rubbish');
    assert.equal(readFileSync(`${keepAs}-wal`, 'utf8'), 'more rubbish');
  });

  test('works where there is no store at all', async () => {
    const { copy } = await setting();
    const home = temporaryFolder(after);

    const result = await restoreStore({
      from: copy,
      location: join(home, 'switchboard.db'),
      keepAs: join(home, 'k'),
      migrations: MIGRATIONS,
    });

    assert.equal(result.kept, undefined);
    assert.deepEqual(await sessionsIn(home), ['old']);
  });

  test('says of a file that is no backup to take another copy, not to move it away', async () => {
    const { home, restore } = await setting();
    const other = join(home, 'other.db');
    writeFileSync(other, 'no database');

    await assert.rejects(restore(other), { field: 'path', hint: /^Take another copy/, message: /not a store/ });
  });

  test('refuses a file that is no intact backup, and changes nothing', async () => {
    const { home, copy, location, restore } = await setting();
    const before = readFileSync(location);
    const empty = join(home, 'empty.db');
    const other = join(home, 'other.db');
    const damaged = join(home, 'damaged.db');
    writeFileSync(empty, '');
    writeFileSync(other, 'no database');
    writeFileSync(damaged, readFileSync(copy).fill(0xaa, 8_192));

    for (const path of [empty, other, damaged]) await assert.rejects(restore(path), coded('CONFLICT'), path);
    await assert.rejects(restore(join(home, 'none.db')), coded('NOT_FOUND'));
    await assert.rejects(restore(home), coded('NOT_FOUND'));
    await assert.rejects(restore(location), coded('VALIDATION_ERROR'));

    assert.deepEqual(readFileSync(location), before);
    assert.equal(existsSync(join(home, 'backups')), false);
  });
});
