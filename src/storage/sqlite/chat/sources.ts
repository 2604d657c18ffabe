import type { SourceRepository, SourceRow } from '../../../chat/ports.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Database, Transaction } from '../database.ts';
import { deleteMessages, deleteRemaining } from './delete-messages.ts';
import { removeSenderNames } from './sender-names.ts';

interface AddedRow {
  id: string;
  kind: string;
  name: string;
  settings: string;
  created_at: number;
}

export function createSourceRepository(db: Database): SourceRepository {
  return {
    list: () =>
      db.read((reader) =>
        reader.all<AddedRow>('select * from chat_added_sources order by created_at, id').map(toSource),
      ),
    add: (row) => db.write((tx) => add(tx, row)),
    withData: () =>
      db.read((reader) =>
        reader
          .all<{ id: string }>(
            'select id from chat_sources as s where exists (select 1 from chats where source = s.key) order by id',
          )
          .map(({ id }) => id),
      ),
    unlist: (id) =>
      db.write((tx) => {
        tx.run('delete from chat_added_sources where id = ?', id);
      }),
    async remove(id, progress = () => {}) {
      const total = await db.read(
        (reader) =>
          reader.get<{ total: number }>(
            `select coalesce(sum(c.messages), 0) as total from chats as c
             join chat_sources as s on s.key = c.source where s.id = ?`,
            id,
          )?.total ?? 0,
      );
      const gone = await deleteMessages(db, id, { progress: (done) => progress(done, Math.max(total, done)) });
      return gone + (await db.write((tx) => removeTheRest(tx, id)));
    },
    find: (source, messages) =>
      db.read((reader) =>
        reader
          .all<{ chat: string; message: string }>(
            `select c.id as chat, m.external_id as message
           from chat_sources as s cross join chats as c on c.source = s.key
             cross join json_each(?) as wanted
             cross join messages as m on m.chat = c.key and m.external_id = wanted.value
           where s.id = ? order by m.id`,
            JSON.stringify(messages),
            source,
          )
          .map((row) => ({ ...row })),
      ),
    recall: (source, key) =>
      db.read(
        (reader) =>
          reader.get<{ value: string }>('select value from chat_memory where source = ? and key = ?', source, key)
            ?.value,
      ),
    remember: (source, key, value) =>
      db.write((tx) => {
        tx.run(
          `insert into chat_memory (source, key, value) values (?, ?, ?)
           on conflict (source, key) do update set value = excluded.value`,
          source,
          key,
          value,
        );
      }),
  };
}

function add(tx: Transaction, { id, kind, name, settings, createdAt }: SourceRow): void {
  const added = tx.run(
    `insert into chat_added_sources (id, kind, name, settings, created_at) values (?, ?, ?, ?, ?) on conflict do nothing`,
    id,
    kind,
    name,
    JSON.stringify(settings),
    createdAt,
  );
  if (added === 0) {
    throw new AppError('CONFLICT', 'A source with this id already exists.', {
      field: 'source',
      hint: 'Choose another id, or remove that source first.',
    });
  }
}

/**
 * Deletes the rows of the source itself and messages that arrived while the others were deleted. Returns the number
 * of these messages.
 */
function removeTheRest(tx: Transaction, id: string): number {
  tx.run('delete from chat_added_sources where id = ?', id);
  tx.run('delete from chat_memory where source = ?', id);
  tx.run('delete from chat_timelines where source = ?', id);
  const key = tx.get<{ key: number }>('select key from chat_sources where id = ?', id)?.key;
  if (key === undefined) return 0;
  const gone = deleteRemaining(tx, key);
  removeSenderNames(tx, key);
  for (const table of ['message_changes', 'chats', 'senders']) tx.run(`delete from ${table} where source = ?`, key);
  tx.run('delete from chat_sources where key = ?', key);
  return gone;
}

function toSource({ id, kind, name, settings, created_at: createdAt }: AddedRow): SourceRow {
  return { id, kind, name, settings: JSON.parse(settings) as SourceRow['settings'], createdAt };
}
