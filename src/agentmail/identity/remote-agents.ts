import { existsSync } from 'node:fs';
import type { Clock } from '../../lib/clock.ts';
import { createDeliveryStates } from '../delivery/delivery-states.ts';
import { mailboxPath } from '../mailbox/mailbox.ts';
import { readPresences } from '../mailbox/recipients-file.ts';
import type { RemoteAgents } from './remote-context.ts';

interface RemoteAgentsParts {
  clock: Clock;
  warn(message: string): void;
}

/** An agent without a window is known for a day after its last call. */
const LASTS_MS = 24 * 3_600_000;
/** An agent is stored again only after this time. */
const SEEN_AGAIN_MS = 60_000;

export function createRemoteAgents({ clock, warn }: RemoteAgentsParts): RemoteAgents & { close(): void } {
  const states = createDeliveryStates(warn);
  const seen = new Map<string, number>();

  return {
    async saw(mailFolder, name) {
      const key = JSON.stringify([mailFolder, name]);
      const now = clock.now();
      if (now - (seen.get(key) ?? 0) < SEEN_AGAIN_MS) return;
      states.of(mailFolder).sawRemoteAgent(name, now);
      seen.set(key, now);
    },
    async isKnownIn(mailFolder, name) {
      if (!existsSync(mailFolder)) return false;
      if (existsSync(mailboxPath(mailFolder, name))) return true;
      if ((await readPresences(mailFolder)).some((presence) => presence.name === name)) return true;
      return states
        .of(mailFolder)
        .remoteAgents(clock.now() - LASTS_MS)
        .includes(name);
    },
    close: states.close,
  };
}
