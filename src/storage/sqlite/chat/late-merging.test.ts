import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { addToIndex } from './index-row.ts';

test('FTS5 does not merge the segments of many transactions by itself', async () => {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  const keys = { source: 1, chat: 1, sender: 1, at: 0, contentType: 'text' } as const;

  for (let id = 1; id <= 40; id += 1) await db.write((tx) => addToIndex(tx, id, keys, `word${id}`));

  const row = await db.read((reader) =>
    reader.get<{ segments: number }>('select count(distinct segid) as segments from message_words_idx'),
  );
  await db.close();
  assert.equal(row?.segments, 40);
});
