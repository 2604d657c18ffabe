import type { Transaction } from '../database.ts';

/** The index of names and ids of senders, by which a part of one is found. */

/**
 * Names that a batch adds or changes. They are written together: FTS5 flushes its pending rows, each time as a segment of their own,
 * whenever another statement opens a savepoint.
 */
export interface SenderNameChanges {
  added(sender: number): void;
  changed(sender: number): void;
  save(tx: Transaction): void;
}

export function createSenderNameChanges(): SenderNameChanges {
  const current = new Set<number>();
  const former = new Set<number>();
  return {
    added: (sender) => void current.add(sender),
    changed(sender) {
      if (!current.has(sender)) former.add(sender);
      current.add(sender);
    },
    save(tx) {
      if (former.size > 0) tx.run(REMOVE, JSON.stringify([...former]));
      if (current.size > 0) tx.run(ADD, JSON.stringify([...current]));
      former.clear();
      current.clear();
    },
  };
}

const REMOVE = 'delete from sender_names where rowid in (select value from json_each(?))';
const ADD = `
  insert into sender_names (rowid, name)
  select s.key, s.folded_name || char(10) || lower(s.id)
  from json_each(?) as wanted cross join senders as s on s.key = wanted.value`;

/** Those of all senders of a source, before these are deleted. */
export function removeSenderNames(tx: Transaction, source: number): void {
  tx.run('delete from sender_names where rowid in (select key from senders where source = ?)', source);
}
