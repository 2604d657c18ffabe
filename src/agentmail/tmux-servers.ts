import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ancestor, environmentOf } from './ancestors.ts';

/** Sockets of the tmux servers that may be above a process with these ancestors, the most likely ones first. */
export function socketsAbove(ancestors: readonly Ancestor[]): string[] {
  // The first process in a pane is a child of the server, so that without one among the parents there is no pane either.
  if (!ancestors.some(({ name }) => name.startsWith('tmux'))) return [];
  const named = ancestors.flatMap(({ pid }) => environmentOf(pid).get('TMUX')?.split(',')[0] || []);
  const found = socketsOfUser();
  const usual = found.filter((socket) => socket.endsWith('/default'));
  return [...new Set([...named, ...usual, ...found])];
}

function socketsOfUser(): string[] {
  const roots = new Set([process.env.TMUX_TMPDIR || '/tmp', '/tmp']);
  const folders = [...roots].map((root) => join(root, `tmux-${process.getuid?.()}`));
  const isServed = servedSockets();
  return folders.flatMap(socketsIn).filter((socket) => isServed?.has(socket) ?? true);
}

function socketsIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Servers leave their sockets behind; the kernel knows which are still served. Undefined where it does not say. */
function servedSockets(): ReadonlySet<string> | undefined {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
    return new Set(lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []));
  } catch {
    return undefined;
  }
}
