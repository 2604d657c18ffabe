import type { Database } from '../database.ts';
import { writeInBatches } from './batched-writes.ts';
import { subjectOf } from './events.ts';

const ROWS = 2_000;

/**
 * Removes the content of a source's messages from the event log. The events keep their numbers, which clients use as
 * cursors.
 */
export async function redactEvents(db: Database, source: string, before: number | undefined): Promise<void> {
  const subjects = subjectOf(source);
  const since = before === undefined ? '' : `and json_extract(data, '$.timestamp') < ?`;
  const timestamp = before === undefined ? [] : [new Date(before).toISOString()];
  const ends = await db.read((reader) =>
    reader.get<{ first: number; last: number }>(
      'select coalesce(min(number), 0) as first, coalesce(max(number), 0) as last from events',
    ),
  );
  const { first = 0, last = 0 } = ends ?? {};
  await writeInBatches(db, first - 1, (tx, after) => {
    const end = after + ROWS;
    const done = tx.run(
      `update events set data = '{}'
       where number > ? and number <= ? and substr(subject, 1, ?) = ? and data <> '{}' ${since}`,
      after,
      end,
      subjects.length,
      subjects,
      ...timestamp,
    );
    return { done, next: end < last ? end : undefined };
  });
}
