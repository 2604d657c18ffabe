import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { MIGRATIONS, NEWEST_SCHEMA, openStore } from '../../tests/support/store/open-store.ts';
import { coded, saveNew } from '../../tests/support/store/samples.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { systemClock } from '../lib/clock.ts';
import { inspectStore } from './inspect.ts';

const open = (home: string) => openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });

describe('inspecting a store', () => {
  test('reports an intact one, open in another process or not, and leaves no files', async () => {
    const home = temporaryFolder(after);
    const location = join(home, 'switchboard.db');
    const store = await open(home);
    await saveNew(store, 'a');

    const whileOpen = inspectStore(location, MIGRATIONS);
    await store.close();
    const before = readFileSync(location);
    const closed = inspectStore(location, MIGRATIONS);

    const sound = { location, schema: NEWEST_SCHEMA, newest: NEWEST_SCHEMA, problems: [] };
    assert.deepEqual([whileOpen, closed], [sound, sound]);
    assert.deepEqual(readFileSync(location), before);
    assert.deepEqual(readdirSync(home), ['switchboard.db']);
  });

  test('creates none where there is none', () => {
    const location = join(temporaryFolder(after), 'switchboard.db');

    assert.equal(inspectStore(location, MIGRATIONS), undefined);
    assert.equal(existsSync(location), false);
  });

  test('reports the problems of a damaged one, and a file that is no database', async () => {
    const home = temporaryFolder(after);
    const location = join(home, 'switchboard.db');
    const store = await open(home);
    for (let index = 0; index < 200; index += 1) await saveNew(store, `session-${index}`);
    await store.close();
    const sound = readFileSync(location);

    const lostPage = Buffer.concat([sound, Buffer.alloc(sound.readUInt16BE(16))]);
    lostPage.writeUInt32BE(sound.readUInt32BE(28) + 1, 28);
    writeFileSync(location, lostPage);
    const damaged = inspectStore(location, MIGRATIONS);

    assert.match(damaged?.problems.join() ?? '', /^SQLite's check reports: .*never used/);
    writeFileSync(location, Buffer.from(sound).fill(0xaa, sound.length - 8_192));
    assert.throws(() => inspectStore(location, MIGRATIONS), coded('CONFLICT'));
    writeFileSync(location, 'something else');
    assert.throws(() => inspectStore(location, MIGRATIONS), coded('CONFLICT'));
  });

  test('rejects one of another program, or of a newer version', () => {
    const location = join(temporaryFolder(after), 'other.db');
    const db = new DatabaseSync(location);
    db.exec('create table things (a)');
    db.close();

    assert.throws(() => inspectStore(location, MIGRATIONS), coded('CONFLICT'));
  });
});
