// Writes to a store until it is killed and prints each stored item on standard output.
// Arguments: the home, a name that no other writer has, and the number of rounds (default: unlimited).
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../operation-context.ts';
import { printLine } from '../print-line.ts';
import type { Store } from './open-store.ts';
import { openStore } from './open-store.ts';
import { event, newSession, outgoing } from './samples.ts';

const [home = '', name = '', rounds = 'Infinity'] = process.argv.slice(2);
const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
for (let round = 0; round < Number(rounds); round++)
  await writeSome(store, `${name}-${String(round).padStart(6, '0')}`);
await store.close();

async function writeSome({ outbox, events, sessions, admin }: Store, key: string): Promise<void> {
  await outbox.add(outgoing({ idempotencyKey: key }));
  acknowledge(`outbox ${key}`);
  await events.append([event('test.first', 1), event('test.second', 2)].map((each) => ({ ...each, subject: key })));
  acknowledge(`events ${key}`);
  const { session, events: history } = newSession(key);
  await sessions.save(session, history);
  acknowledge(`session ${key}`);
  const taken = await outbox.take(['chat']);
  if (taken) {
    acknowledge(`taken ${taken.idempotencyKey}`);
    await outbox.change(taken.id, { kind: 'sent' });
    acknowledge(`sent ${taken.idempotencyKey}`);
  }
  if (key.endsWith('00')) await admin.vacuum();
}

function acknowledge(fact: string): void {
  printLine(fact);
}
