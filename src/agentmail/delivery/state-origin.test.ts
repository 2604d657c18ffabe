import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openDeliveryState } from './delivery-state.ts';
import { stateFilePath } from './state-file.ts';

const PAGE = 4_096;

/** A mail folder whose database was not created there, after `change` and then `patch` of its bytes. */
function brought(change: string, patch: (bytes: Buffer, rootOf: (name: string) => number) => Buffer = (same) => same) {
  const folder = join(temporaryFolder(after), '.agentmail');
  openDeliveryState(folder).close();
  const path = stateFilePath(folder);
  const database = new DatabaseSync(path);
  database.exec(`${change}; pragma application_id = 0; pragma wal_checkpoint(truncate)`);
  const roots = database.prepare('select name, rootpage from sqlite_schema').all();
  database.close();
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  const rootOf = (name: string) => Number(roots.find((row) => row.name === name)?.rootpage);
  const bytes = patch(readFileSync(path), rootOf);
  bytes.writeUInt32BE(bytes.length / PAGE, 28);
  writeFileSync(path, bytes);
  return folder;
}

/** What is reported when the database is opened, twice. */
function findings(folder: string): string[] {
  const found: string[] = [];
  for (let time = 0; time < 2; time++) {
    const state = openDeliveryState(folder, (message) => void found.push(message));
    state.sawRemoteAgent('later', 2);
    assert.ok(state.remoteAgents(0).includes('later'));
    state.close();
  }
  return found;
}

function renamed(folder: string): void {
  const found = findings(folder);
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /side\.db was (damaged|a database with a foreign schema), so it was renamed/);
}

describe('a side.db that was not created in its place', () => {
  test('is kept with what it says if it is sound, as one of an earlier version or of a copied repository', () => {
    const folder = brought("insert into remote_agents values ('earlier', 1)");

    assert.deepEqual(findings(folder), []);
    const state = openDeliveryState(folder);
    assert.deepEqual(state.remoteAgents(0), ['earlier', 'later']);
    state.close();
  });

  test('with a key of megabytes, which every lookup would read, is renamed', () => {
    renamed(brought('insert into remote_agents values (hex(zeroblob(2000000)), 1)'));
  });

  test('with a chain of thousands of pages in place of a table is renamed', () => {
    renamed(
      brought('', (bytes, rootOf) => {
        const first = bytes.length / PAGE + 1;
        const chain = Array.from({ length: 3_900 }, (_, index) => pageAbove(first + index + 1));
        pageAbove(first).copy(bytes, (rootOf('leases') - 1) * PAGE);
        return Buffer.concat([bytes, ...chain, leaf()]);
      }),
    );
  });

  test('with a list of free pages that leads back to itself is renamed', () => {
    renamed(
      brought('', (bytes) => {
        const free = bytes.length / PAGE + 1;
        bytes.writeUInt32BE(free, 32);
        bytes.writeUInt32BE(1_000_000, 36);
        const trunk = Buffer.alloc(PAGE);
        trunk.writeUInt32BE(free, 0);
        return Buffer.concat([bytes, trunk]);
      }),
    );
  });

  test('that would be vacuumed at each commit is renamed', () => {
    renamed(
      brought('', (bytes) => {
        bytes.writeUInt32BE(5, 52);
        return bytes;
      }),
    );
  });

  test('with two tables on one page is renamed', () => {
    renamed(
      brought('', (bytes, rootOf) => {
        const first = bytes.length / PAGE + 1;
        for (const table of ['leases', 'hints']) pageAbove(first).copy(bytes, (rootOf(table) - 1) * PAGE);
        return Buffer.concat([bytes, leaf()]);
      }),
    );
  });

  test('with an index that is not that of its table gets a new one', () => {
    const folder = brought("insert into remote_agents values ('earlier', 1)", (bytes, rootOf) => {
      const at = (rootOf('sqlite_autoindex_remote_agents_1') - 1) * PAGE;
      bytes.fill(0, at, at + PAGE);
      bytes[at] = 10;
      return bytes;
    });

    const state = openDeliveryState(folder);
    state.sawRemoteAgent('earlier', 2);

    assert.deepEqual(state.remoteAgents(0), ['earlier']);
    state.close();
  });
});

/** An inner page of a table without rows, above one other page. */
function pageAbove(child: number): Buffer {
  const page = Buffer.alloc(PAGE);
  page[0] = 5;
  page.writeUInt32BE(child, 8);
  return page;
}

function leaf(): Buffer {
  const page = Buffer.alloc(PAGE);
  page[0] = 13;
  return page;
}
