import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { silentLog } from '../../../tests/support/operation-context.ts';
import { openDatabase } from '../../../tests/support/store/open-store.ts';
import type { EventLog, StoredEvent } from '../../domain/event-log.ts';
import { createEventLog } from './event-log.ts';

type Step = { do: 'append'; count: number } | { do: 'prune'; age: number } | { do: 'read'; limit: number };

const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ do: fc.constant('append'), count: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ do: fc.constant('prune'), age: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ do: fc.constant('read'), limit: fc.integer({ min: 1, max: 4 }) }),
);

test('a subscriber that resumes gets every event once and in order, or sees from the range which it missed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = manualClock(1_000);
      const db = await openDatabase({ location: ':memory:', clock });
      const log = createEventLog(db, { clock, log: silentLog });
      const heard: StoredEvent[] = [];
      log.listen((events) => heard.push(...events));

      const appended: StoredEvent[] = [];
      const reader = createReader(log);
      for (const each of [...steps, { do: 'read', limit: 1_000 } as const]) {
        clock.advance(1);
        if (each.do === 'append') appended.push(...(await log.append(numbered(appended.length, each.count))));
        else if (each.do === 'prune') await log.prune(clock.now() - each.age);
        else await reader.read(each.limit);
      }

      assert.deepEqual(
        appended.map(({ number }) => number),
        appended.map((_, index) => index + 1),
      );
      assert.deepEqual(heard, appended);
      assert.deepEqual(
        reader.got,
        appended.filter(({ number }) => !reader.missed.has(number)),
      );
      await db.close();
    }),
    { numRuns: 200 },
  );
});

/** Reads the log like a client that was disconnected in between. */
function createReader(log: EventLog) {
  const got: StoredEvent[] = [];
  const missed = new Set<number>();
  let cursor = 0;
  return {
    got,
    missed,
    async read(limit: number): Promise<void> {
      const { first } = await log.range();
      for (let number = cursor + 1; number < first; number++) missed.add(number);
      const events = await log.read(cursor, { limit });
      got.push(...events);
      cursor = events.at(-1)?.number ?? Math.max(cursor, first - 1);
    },
  };
}

function numbered(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    type: 'thing.happened',
    subject: 'x',
    data: { n: from + index },
  }));
}
