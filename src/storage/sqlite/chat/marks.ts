import type { Reader, Transaction } from '../database.ts';

type Mark = 'drift' | 'vocabulary' | 'forgotten' | 'boot' | 'signs' | 'merged';

export function markOf(reader: Reader, name: Mark): number {
  return reader.get<{ value: number }>('select value from message_marks where name = ?', name)?.value ?? 0;
}

/**
 * `drift` is the largest distance between an id and `idAt` of its timestamp. With it a time range becomes an id
 * range.
 */
export function raiseDrift(tx: Transaction, drift: number): void {
  tx.run(`update message_marks set value = ? where name = 'drift' and value < ?`, drift, drift);
}

export function addToMark(tx: Transaction, name: Mark, by: number): void {
  tx.run('update message_marks set value = value + ? where name = ?', by, name);
}

export function resetMark(tx: Transaction, name: Mark): void {
  tx.run('update message_marks set value = 0 where name = ?', name);
}

export function setMark(tx: Transaction, name: Mark, value: number): void {
  tx.run(
    'insert into message_marks (name, value) values (?, ?) on conflict (name) do update set value = ?',
    name,
    value,
    value,
  );
}
