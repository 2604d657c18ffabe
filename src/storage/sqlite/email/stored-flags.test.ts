import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../../tests/support/store/open-store.ts';
import { migrate } from '../migrate.ts';
import { emailsOf } from './mail-rows.ts';

test('the emails of a store from before keep their flags and places', () => {
  const db = new DatabaseSync(':memory:');
  const { email = [], ...others } = MIGRATIONS.capabilities;
  migrate(db, { ...MIGRATIONS, capabilities: { ...others, email: email.slice(0, 2) } }, 0);
  db.exec(`
    insert into chat_sources (key, id) values (1, 'work');
    insert into chats (key, source, id, folded_name, type, last_at, messages) values (1, 1, 'a', 'a', 'thread', 1, 2);
    insert into senders (key, source, id, name, folded_name) values (1, 1, 'ann@example.test', 'Ann', 'ann');
    insert into messages (id, chat, sender, external_id, at, own, content_type, text)
    values (11, 1, 1, 'm1', 1, 0, 'text', 'one'), (12, 1, 1, 'm2', 2, 0, 'text', 'two');
    insert into emails (message, account, identity, rfc_id, refs, headers, flags, is_seen, is_flagged, is_discarded, size, received_at)
    values (11, 1, 'x', 'm1', '', '{}', '\\Flagged \\Seen', 1, 1, 0, 5, 1), (12, 1, 'y', 'm2', 'm1', '{}', '', 0, 0, 1, 6, 2);
    insert into email_folders (key, account, path, low, high) values (1, 'work', 'INBOX', 1, 9);
    insert into email_locations (folder, uid, message) values (1, 3, 11), (1, 4, 12)`);

  migrate(db, MIGRATIONS, 0);

  const reader = {
    get: <Row extends object>(sql: string, ...values: string[]) => db.prepare(sql).get(...values) as Row | undefined,
    all: <Row extends object>(sql: string, ...values: string[]) => db.prepare(sql).all(...values) as Row[],
  };
  assert.deepEqual(
    emailsOf(reader as Parameters<typeof emailsOf>[0], [11, 12]).map((stored) => [
      stored.rfcMessageId,
      stored.flags,
      stored.isSeen,
      stored.isFlagged,
      stored.size,
      stored.locations.map(({ uid }) => uid),
    ]),
    [
      ['m1', ['\\Flagged', '\\Seen'], true, true, 5, [3]],
      ['m2', [], false, false, 6, [4]],
    ],
  );
  assert.deepEqual(
    { ...db.prepare('select message, account from emails where is_discarded = 1').get() },
    { message: 12, account: 1 },
  );
  db.exec('pragma foreign_keys = on; delete from messages where id = 11');
  for (const table of ['emails', 'email_contents', 'email_locations']) {
    assert.deepEqual({ ...db.prepare(`select count(*) as count from ${table}`).get() }, { count: 1 }, table);
  }
  db.close();
});
