import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openDeliveryState } from './delivery-state.ts';
import { createDeliveryStates } from './delivery-states.ts';

const NOW = 1_000_000;

describe('the state file', () => {
  test('stays locked when the same process opens it again, so that another process keeps its log', () => {
    const folder = join(temporaryFolder(after), '.agentmail');
    const path = join(folder, 'switchboard', 'side.db');
    const first = openDeliveryState(folder);
    const second = openDeliveryState(folder);
    first.sawRemoteAgent('known', NOW);

    const script = `
      const { DatabaseSync } = require('node:sqlite');
      const database = new DatabaseSync(process.argv[1]);
      database.prepare('select count(*) from letters').get();
      database.close();`;
    execFileSync(process.execPath, ['--no-warnings', '-e', script, path]);

    assert.equal(existsSync(`${path}-wal`), true);
    assert.deepEqual(second.remoteAgents(NOW), ['known']);
    first.close();
    second.close();
  });

  test('is created again if damage shows only when a page is read', () => {
    const folder = join(temporaryFolder(after), '.agentmail');
    const path = join(folder, 'switchboard', 'side.db');
    openDeliveryState(folder).close();
    overwriteTable(path, 'remote_agents');
    const warnings: string[] = [];
    const states = createDeliveryStates((message) => warnings.push(message));
    after(() => states.close());

    states.of(folder).sawRemoteAgent('lost', NOW);
    states.of(folder).sawRemoteAgent('known', NOW);

    assert.deepEqual(states.of(folder).remoteAgents(NOW), ['known']);
    assert.equal(warnings.length, 2);
    assert.ok(readdirSync(join(folder, 'switchboard')).some((file) => file.startsWith('side.db.damaged-')));
  });
});

/** Makes the first page of a table unreadable and leaves the schema as it is. */
function overwriteTable(path: string, table: string): void {
  const database = new DatabaseSync(path);
  const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(table);
  const size = database.prepare('pragma page_size').get();
  database.close();
  const pageSize = Number(size?.page_size);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pageSize, 0xff), 0, pageSize, (Number(row?.rootpage) - 1) * pageSize);
  closeSync(file);
}
