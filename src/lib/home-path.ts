import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The home: `SWITCHBOARD_HOME`, or `.switchboard` in the user's home. */
export function homeOf(env: Environment): string {
  const chosen = env.SWITCHBOARD_HOME;
  if (!chosen) return join(userHomeIn(env), '.switchboard');
  // Assistants start us without a shell, which would have replaced the tilde.
  return chosen === '~' || chosen.startsWith('~/') ? join(userHomeIn(env), chosen.slice(1)) : resolve(chosen);
}

/** Node's `homedir` takes an empty HOME for a path, which would be the working directory. Throws if there is none. */
export function userHomeIn(env: Environment): string {
  return resolve(env.HOME || userInfo().homedir);
}
