import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { StoredEvent } from '../../src/domain/event-log.ts';
import type { SessionId } from '../../src/domain/ids.ts';
import type { OutboxItem } from '../../src/domain/outbox.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../support/operation-context.ts';
import { writeUntilKilled } from '../support/store/killed-writer.ts';
import type { Store } from '../support/store/open-store.ts';
import { openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = process.env.SOAK ? 200 : 25;
const WRITER = new URL('../support/store/writer-program.ts', import.meta.url).pathname;

test(`killed at ${KILLS} random times, a writer loses nothing it acknowledged and stores nothing twice`, async () => {
  const home = join(temporaryFolder(after), 'home');
  let cursor = 0;

  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await writeUntilKilled(WRITER, home, `k${kill}`);
    const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });

    assert.deepEqual(await store.admin.check(), { ok: true, problems: [] });
    const { items, events } = await whatIsThere(store, cursor);
    for (const fact of acknowledged) await assertStored(store, fact, items, events);
    assertNothingTwice(items, events, cursor);
    await assertInterruptedIsUncertain(store, items);

    cursor = (await store.events.range()).last;
    await store.close();
  }
});

async function whatIsThere(store: Store, cursor: number): Promise<{ items: OutboxItem[]; events: StoredEvent[] }> {
  const events: StoredEvent[] = [];
  for (
    let more = await store.events.read(cursor);
    more.length > 0;
    more = await store.events.read(more.at(-1)?.number ?? 0)
  ) {
    events.push(...more);
  }
  const ids = new Set(events.filter(({ type }) => type === 'outbox.added').map(({ subject }) => subject));
  const items = await store.outbox.list({ limit: ids.size });
  return { items: [...items], events };
}

async function assertStored(store: Store, fact: string, items: OutboxItem[], events: StoredEvent[]): Promise<void> {
  const [what, key = ''] = fact.split(' ');
  const item = items.find(({ idempotencyKey }) => idempotencyKey === key);
  if (what === 'outbox') assert.ok(item, fact);
  else if (what === 'taken') assert.ok(item?.attempts === 1 && item.state !== 'queued', fact);
  else if (what === 'sent') assert.equal(item?.state, 'sent', fact);
  else if (what === 'session') assert.ok(await store.sessions.find(key as SessionId), fact);
  else assert.equal(events.filter(({ type, subject }) => type.startsWith('test.') && subject === key).length, 2, fact);
}

/** Acknowledged or not, every stored item is complete and stored once, with its event. */
function assertNothingTwice(items: readonly OutboxItem[], events: readonly StoredEvent[], cursor: number): void {
  assert.deepEqual(
    events.map(({ number }) => number),
    events.map((_, index) => cursor + 1 + index),
  );
  const steps = events.map(({ type, subject }) => `${type} ${subject}`);
  assert.equal(new Set(steps).size, steps.length);
  assert.equal(new Set(items.map(({ idempotencyKey }) => idempotencyKey)).size, items.length);
  const count = (type: string) => events.filter((event) => event.type === type).length;
  assert.equal(count('test.first'), count('test.second'));
  assert.equal(count('outbox.sent'), items.filter(({ state }) => state === 'sent').length);
}

/** Finishes all items, so that the next writer starts with an empty queue. */
async function assertInterruptedIsUncertain(store: Store, items: readonly OutboxItem[]): Promise<void> {
  const sending = items.filter(({ state }) => state === 'sending').map(({ id }) => id);
  const recovered = await store.outbox.recover();
  assert.deepEqual(
    recovered.map(({ id, state }) => [id, state]),
    sending.map((id) => [id, 'uncertain']),
  );
  for (const { id } of await store.outbox.list({ states: ['queued'] }))
    await store.outbox.change(id, { kind: 'discard' });
}
