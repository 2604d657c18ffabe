// Records messages until it is killed and prints each stored batch on standard output.
// Arguments: the home, a name that no other writer has, and the number of batches (default: unlimited).
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../operation-context.ts';
import { printLine } from '../print-line.ts';
import { message, START, said } from './message-samples.ts';
import { openStore } from './open-store.ts';

const PER_BATCH = 20;

const [home = '', name = '', batches = 'Infinity'] = process.argv.slice(2);
const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
for (let batch = 0; batch < Number(batches); batch++) {
  const key = `${name}x${batch}`;
  const messages = Array.from({ length: PER_BATCH }, (_, index) =>
    // All writers write at the same times, so that they compete for the same ids.
    message(`${key}x${index}`, { text: `shared ${key} word${index}`, at: START + batch }),
  );
  const origin = (['live', 'newer', 'older'] as const)[batch % 3] ?? 'live';
  await store.messages.record({
    source: 'irc',
    events: said(messages),
    origin,
    timeline: { id: name, newest: key, complete: false },
  });
  printLine(key);
}
await store.close();
