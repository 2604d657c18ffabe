import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../../tests/support/store/open-store.ts';
import { migrate } from '../migrate.ts';
import { fold } from './fold.ts';

const NAME = 'العـــائلة';
/** As it was folded before. */
const FORMER = 'العـــايلة';
/** The letters around the stretch. */
const TRIGRAM = 'عاي';

test('stretched names in a store from before are found as those that are stored now', () => {
  const db = new DatabaseSync(':memory:');
  const { chat = [], ...others } = MIGRATIONS.capabilities;
  migrate(db, { ...MIGRATIONS, capabilities: { ...others, chat: chat.slice(0, 5) } }, 0);
  db.exec(`
    insert into chat_sources (key, id) values (1, 'old');
    insert into chats (source, id, folded_name, type, last_at, messages) values (1, 'a', '${FORMER}', 'group', 1, 7);
    insert into senders (key, source, id, name, folded_name) values (1, 1, 'A', '${NAME}', '${FORMER}'), (2, 1, 'b', 'bob', 'bob');
    insert into sender_names (rowid, name) select key, folded_name || char(10) || lower(id) from senders`);

  migrate(db, MIGRATIONS, 0);

  const names = db.prepare('select folded_name as name from chats union all select folded_name from senders').all();
  const found = db.prepare('select rowid as key from sender_names where sender_names match ?').all(TRIGRAM);
  assert.deepEqual(
    names.map(({ name }) => name),
    [fold(NAME), fold(NAME), 'bob'],
  );
  assert.deepEqual(
    found.map(({ key }) => key),
    [1],
  );
  db.close();
});
