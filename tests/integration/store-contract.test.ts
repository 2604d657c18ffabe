import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../support/operation-context.ts';
import { storeContract } from '../support/store/contract.ts';
import { openStore } from '../support/store/open-store.ts';
import { audited, newSession, outgoing } from '../support/store/samples.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

storeContract('a store in memory', (clock) =>
  openStore({ url: 'sqlite::memory:', home: folder, clock, log: silentLog }),
);
storeContract('a store in a file', (clock) => openAt(newHome(), clock));

test('CORE-10 the content of a store file survives a restart', async () => {
  const home = newHome();
  const { session, events } = newSession('a');
  const before = await openAt(home);
  await before.sessions.save(session, events);
  const item = await before.outbox.add(outgoing({}));
  await before.audit.append(audited('status', 'reads'));
  const log = await before.events.read(0);
  await before.close();

  const store = await openAt(home);

  assert.deepEqual(await store.sessions.find(session.id), session);
  assert.deepEqual(await store.outbox.list(), [item]);
  assert.deepEqual(await store.events.read(0), log);
  assert.equal((await store.audit.list()).length, 1);
  await store.close();
});

test('only the owner can read the store, and it is one file when closed', async () => {
  const home = newHome();
  const store = await openAt(home);
  await store.outbox.add(outgoing({}));

  const modes = ['', 'switchboard.db', 'switchboard.db-wal', 'switchboard.db-shm'].map(
    (name) => statSync(join(home, name)).mode & 0o777,
  );
  await store.close();

  assert.deepEqual(modes, [0o700, 0o600, 0o600, 0o600]);
  assert.equal(statSync(join(home, 'switchboard.db-wal'), { throwIfNoEntry: false }), undefined);
});

function openAt(home: string, clock = systemClock) {
  return openStore({ url: 'sqlite', home, clock, log: silentLog });
}

function newHome(): string {
  homes += 1;
  return join(folder, `home-${homes}`);
}
