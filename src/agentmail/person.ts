import type { Origin } from '../domain/origin.ts';
import { once } from '../lib/once.ts';

/** Whether a command was certainly given by the user, and not by an agent. Decided when a call depends on it. */
export function personAt(origin: Origin | undefined): () => Promise<boolean> {
  return once(async () => {
    if (!origin) return false;
    const { isPersonsTerminal } = await import('./identity/persons-terminal.ts');
    return isPersonsTerminal(origin);
  });
}
