import type { Transaction } from '../database.ts';

/** The index of names and ids of senders, by which a part of one is found. */

const ADD = `
  insert into sender_names (rowid, name) select key, folded_name || char(10) || lower(id) from senders where key = ?`;

export function addSenderName(tx: Transaction, sender: number): void {
  tx.run(ADD, sender);
}

export function removeSenderName(tx: Transaction, sender: number): void {
  tx.run('delete from sender_names where rowid = ?', sender);
}

/** Those of all senders of a source, before these are deleted. */
export function removeSenderNames(tx: Transaction, source: number): void {
  tx.run('delete from sender_names where rowid in (select key from senders where source = ?)', source);
}
