import type { Audience, Guide } from '../domain/guide.ts';
import type { Origin } from '../domain/origin.ts';
import { createListeners } from '../lib/listeners.ts';
import { claimsUser } from './user-name.ts';

export interface MailGuideParts {
  /** Whether a process is an agent's. It takes programs to find out. */
  isAgent(origin: Origin): Promise<boolean>;
  /** Runs later: the first clients are served before. */
  later(work: () => Promise<void>): void;
}

/** Agent mail is listed for clients that are an agent. */
export function mailGuide({ isAgent, later }: MailGuideParts): Guide {
  const known = new WeakMap<Origin, boolean>();
  const changes = createListeners();

  /** Its environment shows at once whether it is in tmux; whether it is an agent's is found out later. */
  function isFirstTaken(origin: Origin): boolean {
    const isInTmux = origin.tmux !== undefined || origin.tmuxPane !== undefined;
    known.set(origin, isInTmux);
    later(async () => {
      const isOne = await isAgent(origin);
      if (known.get(origin) === isOne) return;
      known.set(origin, isOne);
      changes.notify();
    });
    return isInTmux;
  }

  function hasIdentity({ principal, origin }: Audience): boolean {
    if (origin) return known.get(origin) ?? isFirstTaken(origin);
    return principal.agent !== undefined && !claimsUser(principal.agent);
  }

  return {
    canWork: (_, audience) => hasIdentity(audience),
    introduction(audience, named) {
      const [send, receive] = [named('send'), named('receive')];
      if (!hasIdentity(audience) || send === undefined || receive === undefined) return undefined;
      return { text: `Mail between agents: ${send} writes to another agent, ${receive} reads your next message.` };
    },
    onChange: changes.add,
  };
}
