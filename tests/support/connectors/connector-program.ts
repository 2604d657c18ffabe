// Keeps one source connected until it is killed and prints each stored message on standard output.
// Arguments: the home, the kind of network, and as JSON the settings and the secrets.
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../operation-context.ts';
import { printLine } from '../print-line.ts';
import { openStore } from '../store/open-store.ts';
import { startConnectedSource } from './connected-source.ts';

const [home = '', kind = '', settings = '{}', secrets = '[]'] = process.argv.slice(2);
const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
const messages: typeof store.messages = {
  ...store.messages,
  async record(batch) {
    const recorded = await store.messages.record(batch);
    for (const event of batch.events) if (event.kind === 'message') acknowledge(event.message.text);
    return recorded;
  },
};
await startConnectedSource({
  kind,
  settings: JSON.parse(settings),
  store: { ...store, messages },
  secrets: new Map(JSON.parse(secrets)),
});

function acknowledge(text: string): void {
  printLine(text);
}
