import type { Reader, Transaction } from '../database.ts';

type Mark = 'drift' | 'vocabulary';

export function markOf(reader: Reader, name: Mark): number {
  return reader.get<{ value: number }>('select value from message_marks where name = ?', name)?.value ?? 0;
}

/** Ids are near their moments; how near is known, so that a range of time is a range of ids. */
export function widenDrift(tx: Transaction, drift: number): void {
  tx.run(`update message_marks set value = ? where name = 'drift' and value < ?`, drift, drift);
}
