import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../tests/support/operation-context.ts';
import { MIGRATIONS, NEWEST_SCHEMA, openStore } from '../../tests/support/store/open-store.ts';
import { coded } from '../../tests/support/store/samples.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { systemClock } from '../lib/clock.ts';
import type { MigrationPlan } from './definition.ts';
import { inspectStore } from './inspect.ts';
import { migrate } from './sqlite/migrate.ts';
import { SHARED_MIGRATIONS } from './sqlite/migrations/index.ts';

/** The checksums in existing stores. A change here means that they can no longer be opened. */
const RELEASED = [
  'a35d6e80431d3ca8',
  'f7d750ff8e6c3ee2',
  'f006e31d5aced6c7',
  'ab800d3804d2fe4b',
  '44f5b9adbdb3e522',
  '1b317a2ae6897ef7',
  '5ca7ed74c8486669',
];

const EARLIER: MigrationPlan = { shared: SHARED_MIGRATIONS.slice(0, RELEASED.length), capabilities: {} };

const OLD_DATA = `
insert into sessions (id, state, body, active_at) values ('s1', 'closed', '{"id":"s1","createdAt":17,"activeAt":18}', 18);
insert into tokens (name, hash, scopes, agent, created_at, chats, send_chats, policy)
  values ('ci', 'abc', '["chat:read"]', 'codex', 5, '["irc:*"]', '["irc:#x"]', '{"send":"hold"}');
insert into chat_added_sources (id, kind, name, settings, created_at) values ('hook', 'webhook', 'Hook', '{}', 7);
insert into outbox (id, kind, source, principal, payload, state, attempts, created_at, changed_at, due_at, lane)
  values ('o1', 'chat', 'irc', 'local', '{"text":"hello"}', 'held', 0, 1, 1, 1, '#x');
insert into events (at, type, subject, data) values (3, 'session.created', 's1', '{}');
`;

describe('a store of an earlier version', () => {
  test('is opened with all its data', async () => {
    const home = earlierHome();

    const before = inspectStore(join(home, 'switchboard.db'), MIGRATIONS);
    const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
    const [tokens, sources, outbox, events] = await Promise.all([
      store.tokens.list(),
      store.sources.list(),
      store.outbox.list({ limit: 10 }),
      store.events.read(0),
    ]);
    const { ok, problems } = await store.admin.check();
    const { schema } = await store.admin.report();
    await store.close();

    assert.deepEqual([before?.schema, before?.newest], [RELEASED.length, NEWEST_SCHEMA]);
    assert.deepEqual([schema, ok, problems], [NEWEST_SCHEMA, true, []]);
    assert.deepEqual(
      tokens.map(({ name, agent, chats, sendChats, policy }) => [name, agent, chats, sendChats, policy?.send]),
      [['ci', 'codex', ['irc:*'], ['irc:#x'], 'hold']],
    );
    assert.deepEqual(
      sources.map(({ id, kind }) => [id, kind]),
      [['hook', 'webhook']],
    );
    assert.deepEqual(
      outbox.map(({ id, state }) => [id, state]),
      [['o1', 'held']],
    );
    assert.deepEqual(
      events.map(({ type, subject }) => [type, subject]),
      [['session.created', 's1']],
    );
  });

  test('is refused by that version once a newer one has opened it', async () => {
    const home = earlierHome();
    await (await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog })).close();
    const db = new DatabaseSync(join(home, 'switchboard.db'));

    // The earlier version only checks the newest number in this table.
    const newest = db.prepare('select max(number) as newest from switchboard_migrations').get()?.newest;

    assert.ok(Number(newest) > RELEASED.length);
    assert.throws(() => migrate(db, EARLIER, 5), coded('CONFLICT'));
    db.close();
  });

  test('remembers the checksums of released migrations, which never change', () => {
    const db = new DatabaseSync(join(earlierHome(), 'switchboard.db'));

    const remembered = db.prepare('select checksum from switchboard_migrations order by number').all();

    assert.deepEqual(
      remembered.map(({ checksum }) => checksum),
      RELEASED,
    );
    db.close();
  });
});

test('the migrations of every capability are listed, under the name and number of their files', () => {
  const src = fileURLToPath(new URL('..', import.meta.url));
  const files = globSync('*/migrations/*.ts', { cwd: src }).sort();

  const listed = Object.entries(MIGRATIONS.capabilities).flatMap(([capability, migrations]) =>
    migrations.map(({ number, name }) => `${capability}/migrations/${String(number).padStart(4, '0')}-${name}.ts`),
  );

  assert.deepEqual(listed.sort(), files);
});

function earlierHome(): string {
  const home = temporaryFolder(after);
  const db = new DatabaseSync(join(home, 'switchboard.db'));
  migrate(db, EARLIER, 1);
  db.exec(OLD_DATA);
  db.close();
  return home;
}
