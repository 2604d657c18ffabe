import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEvents } from '../../src/http/events.ts';
import { openHttpDoor } from '../support/http/door.ts';
import { readSse } from '../support/http/sse-reader.ts';
import { manualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/operation-context.ts';
import { openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const EVENTS = 1_500;
const READERS = 8;

test('readers that disconnect and resume receive every event once, in order, or are notified of a gap', async (context) => {
  const { url, log, clock } = await serve(context);
  const writing = write(log, clock);

  const readings = Array.from({ length: READERS }, (_, index) => follow(context, url, 20 + index * 37));
  const [seen] = await Promise.all([Promise.all(readings), writing]);

  for (const { numbers, missed } of seen) {
    assert.deepEqual(
      [...numbers, ...missed].sort((a, b) => a - b),
      range(1, EVENTS),
    );
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  }
});

type Log = Awaited<ReturnType<typeof openStore>>['events'];
type Clock = ReturnType<typeof manualClock>;

async function serve(context: TestContext) {
  const home = temporaryFolder((clean) => context.after(clean));
  const clock = manualClock();
  const store = await openStore({ url: 'sqlite', home, clock, log: silentLog });
  const events = createEvents({ events: store.events, maskDeep: (value) => value });
  context.after(() => events.close());
  const door = await openHttpDoor(context, {
    rest: (request, response, url) =>
      events.stream(request, response, url, { mayFollow: () => true, noteDelivery: async () => {} }),
  });
  context.after(() => store.close());
  return { url: `${door.url}/api/v1/events`, log: store.events, clock };
}

/** Appends in batches of different sizes; now and then old events are deleted. */
async function write(log: Log, clock: Clock): Promise<void> {
  for (let written = 0, round = 1; written < EVENTS; round += 1) {
    const count = Math.min(1 + ((round * 7) % 23), EVENTS - written);
    await log.append(Array.from({ length: count }, () => ({ type: 'a.b', subject: 's', data: { round } })));
    written += count;
    clock.advance(1);
    if (round % 20 === 0) await log.prune(clock.now() - 10);
    await nextTurn();
  }
}

/** Disconnects after some events and resumes with the last id it received, as a browser does. */
async function follow(context: TestContext, url: string, patience: number) {
  const numbers: number[] = [];
  const missed: number[] = [];
  let last = 0;
  while (last < EVENTS) {
    const reader = await readSse(context, url, { 'last-event-id': String(last) });
    for (let left = patience; left > 0 && last < EVENTS; left -= 1) {
      const event = await reader.next();
      if (!event) break;
      const number = Number(event.id);
      if (event.type === 'gap') missed.push(...range(last + 1, number));
      else numbers.push(number);
      last = number;
    }
    reader.leave();
  }
  return { numbers, missed };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
