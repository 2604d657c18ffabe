import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The home: `SWITCHBOARD_HOME`, or `.switchboard` in the user's home. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  const user = env.HOME || homedir();
  const chosen = env.SWITCHBOARD_HOME;
  if (!chosen) return join(user, '.switchboard');
  // Assistants start us without a shell, which would have replaced the tilde.
  return chosen === '~' || chosen.startsWith('~/') ? join(user, chosen.slice(1)) : resolve(chosen);
}
