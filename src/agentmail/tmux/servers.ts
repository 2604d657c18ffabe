import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Ancestor, environmentOf } from './ancestors.ts';
import { socketBehind } from './process-facts.ts';

/** Listening Unix sockets: inode number and path. */
type ServedSockets = readonly (readonly [inode: string, path: string])[];

/** Sockets of the tmux servers that may contain a process with these ancestors, the most likely first. */
export function socketsAbove(ancestors: readonly Pick<Ancestor, 'pid' | 'name'>[]): string[] {
  // The first process of a pane is a child of the server: without a server among the ancestors there is no pane.
  const servers = ancestors.filter(({ name }) => name.startsWith('tmux'));
  if (servers.length === 0) return [];
  const served = servedSockets();
  const own = servers.flatMap(({ pid }) => socketsServedBy(pid, served));
  const named = ancestors.flatMap(({ pid }) => environmentOf(pid)?.get('TMUX')?.split(',')[0] || []);
  const found = socketsOfUser(served);
  const usual = found.filter((socket) => socket.endsWith('/default'));
  return [...new Set([...own, ...named, ...usual, ...found])];
}

function socketsOfUser(served: ServedSockets | undefined): string[] {
  const roots = new Set([process.env.TMUX_TMPDIR || '/tmp', '/tmp']);
  const folders = [...roots].map((root) => join(root, `tmux-${process.getuid?.()}`));
  // Servers leave their sockets behind.
  const paths = served && new Set(served.map(([, path]) => path));
  return folders.flatMap(socketsIn).filter((socket) => paths?.has(socket) ?? true);
}

function socketsIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Empty where the kernel does not list them. */
function socketsServedBy(pid: number, served: ServedSockets | undefined): string[] {
  if (!served) return [];
  const folder = `/proc/${pid}/fd`;
  try {
    const { uid } = statSync(`/proc/${pid}`);
    const open = new Set(readdirSync(folder).map((name) => socketBehind(join(folder, name))));
    return served.flatMap(([inode, path]) => (open.has(inode) && isSocketOf(path, uid) ? [path] : []));
  } catch {
    return [];
  }
}

/** A path with a line break adds lines to the kernel's list: only the owner of the socket file is reliable. */
function isSocketOf(path: string, uid: number): boolean {
  const file = lstatSync(path, { throwIfNoEntry: false });
  return file?.isSocket() === true && file.uid === uid;
}

/** Undefined where the kernel does not list them. */
function servedSockets(): ServedSockets | undefined {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
    return lines.flatMap((line) => {
      const [, inode, path] = /^(?:\S+\s+){6}(\d+)\s+(\/.*)$/.exec(line) ?? [];
      return inode === undefined || path === undefined ? [] : [[inode, path] as const];
    });
  } catch {
    return undefined;
  }
}
