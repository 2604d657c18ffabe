import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { Origin } from '../../domain/origin.ts';
import type { Places, Standpoint } from '../agent.ts';
import { placesFor } from '../mailbox/mail-folders.ts';
import { windowsOn } from '../tmux/tmux.ts';
import { type Whereabouts, whereaboutsOf } from '../tmux/tmux-location.ts';

type Inside = Extract<Whereabouts, { kind: 'inside' }>;

const IGNORE_FILE = '.agentmailignore';

/** Who the process behind a call is and whom it can reach. */
export async function standpointOf(origin: Origin): Promise<Standpoint> {
  const where = await whereaboutsOf(origin);
  if (where.kind === 'outside') throw new AppError('NO_AGENT_IDENTITY', 'not running inside a tmux session');
  if (where.kind === 'lost') {
    throw new AppError('NO_AGENT_IDENTITY', `failed to get current window: ${where.cause}`);
  }
  const standpoint = standpointIn(where, [origin.cwd, where.me.folder], [where.socket]);
  if (!standpoint) throw new AppError('NO_AGENT_IDENTITY', 'not in a git repository: not in a git repository');
  return standpoint;
}

/** The first of the folders that is in a repository is where the agent's mail is. */
export function standpointIn(
  { me, peers }: Pick<Inside, 'me' | 'peers'>,
  folders: readonly (string | undefined)[],
  /** Of the tmux servers in which agents of this repository are known to be. */
  sockets: readonly string[],
): Standpoint | undefined {
  for (const folder of folders) {
    const places = folder === undefined ? undefined : placesFor(folder);
    if (folder === undefined || !places) continue;
    return { me, peers, places, ignored: ignoredAt(folder, places), everyWindow: () => windowsOn(sockets) };
  }
  return undefined;
}

/** A name on each line, exactly; there are neither comments nor patterns. */
function ignoredAt(folder: string, places: Places): ReadonlySet<string> {
  const roots = new Set([repositoryAbove(folder), dirname(places.main)]);
  return new Set([...roots].flatMap((root) => (root === undefined ? [] : namesIn(join(root, IGNORE_FILE)))));
}

function repositoryAbove(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : repositoryAbove(parent);
}

function namesIn(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  } catch {
    return [];
  }
}
