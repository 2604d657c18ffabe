import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { mergeInSteps } from './merge-segments.ts';

const SEGMENTS = 40;
const WORDS = 500;

for (const pages of [1_000, -1_000]) {
  test(`a merge of ${pages} pages stops while a writer waits, and goes on later`, async (t) => {
    const db = await openDatabase({ location: MEMORY, clock: systemClock });
    t.after(() => db.close());
    for (let id = 1; id <= SEGMENTS; id += 1) {
      const words = Array.from({ length: WORDS }, (_, index) => `word${id}x${index}`).join(' ');
      await db.write((tx) => tx.run('insert into message_words (rowid, words) values (?, ?)', id, words));
    }
    const segments = () =>
      db.read(
        (reader) =>
          reader.get<{ count: number }>('select count(distinct segid) as count from message_words_idx')?.count,
      );
    const merge = (some: number, isWaiting: boolean) =>
      db.write((tx) => mergeInSteps(tx, 'message_words', some, () => isWaiting));

    const hasMore = await merge(pages, true);
    const halfway = await segments();
    await merge(Math.abs(pages), false);

    assert.equal(hasMore, true);
    assert.ok(Number(halfway) > 1);
    assert.equal(await segments(), 1);
    const last = await db.read((reader) =>
      reader.all(`select rowid from message_words where message_words match 'word40x499'`),
    );
    assert.equal(last.length, 1);
  });
}
