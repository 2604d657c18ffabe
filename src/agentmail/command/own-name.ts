import { isOnPath } from '../../lib/on-path.ts';
import type { World } from './command.ts';

const NAME = 'agentmail';

/** What an agent types to run this program: its name if that is on the PATH, otherwise the whole command. */
export function ownName({ self }: Pick<World, 'self'>): string {
  return isOnPath(NAME, process.env.PATH ?? '') ? NAME : self.map(quoted).join(' ');
}

/** For a shell. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./@%+:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
