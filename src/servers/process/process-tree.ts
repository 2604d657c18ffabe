import { setTimeout as pause } from 'node:timers/promises';
import { listProcesses, type ProcessEntry } from './process-table.ts';

/** Which processes belong together, beside the descendants of those that do. */
export interface TreeRoots {
  group?: number;
  isMark(mark: string): boolean;
}

export interface EndLimits {
  /** SIGTERM is sent first; those that still run after so long get SIGKILL. */
  killAfterMs: number;
  /** Processes that even then are not gone are given up. */
  timeoutMs: number;
}

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** Ends all processes of a tree; false if some are left after the timeout. */
export async function endTree(roots: TreeRoots, { killAfterMs, timeoutMs }: EndLimits): Promise<boolean> {
  const began = performance.now();
  // A descendant is not recognised any more once its parent has ended, so what was seen stays part of the tree.
  const known = new Map<number, string>();
  const terminated = new Set<number>();
  let wasEmpty = false;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const left = membersOf(await listProcesses(), roots, known);
    const elapsed = performance.now() - began;
    // A member may have started another one and ended while the table was read: it counts when nothing is found twice.
    if (left.length === 0 && (known.size === 0 || wasEmpty)) return true;
    wasEmpty = left.length === 0;
    if (wasEmpty) continue;
    const isForced = elapsed >= killAfterMs;
    const signalled = isForced ? left : left.filter(({ pid }) => !terminated.has(pid));
    send(signalled, roots.group, isForced ? 'SIGKILL' : 'SIGTERM');
    if (elapsed >= timeoutMs) return false;
    for (const { pid } of left) terminated.add(pid);
    const next = isForced ? timeoutMs : killAfterMs;
    await pause(Math.max(1, Math.min(pauseMs, next - elapsed)));
  }
}

/** Running members of the tree. Adds them to `known`. Never this process or its parents. */
export function membersOf(
  processes: readonly ProcessEntry[],
  { group, isMark }: TreeRoots,
  known: Map<number, string> = new Map(),
): ProcessEntry[] {
  const byPid = new Map(processes.map((entry) => [entry.pid, entry]));
  const decided = ancestorsOf(process.pid, byPid);

  function isMember(entry: ProcessEntry): boolean {
    const before = decided.get(entry.pid);
    if (before !== undefined) return before;
    // Entries are read one after the other: a reused pid could make a cycle.
    decided.set(entry.pid, false);
    const parent = byPid.get(entry.parent);
    const isRoot = entry.group === group || known.get(entry.pid) === entry.started;
    const member = isRoot || (entry.mark !== undefined && isMark(entry.mark)) || (!!parent && isMember(parent));
    decided.set(entry.pid, member);
    return member;
  }

  const members = processes.filter((entry) => isMember(entry) && !entry.isZombie);
  for (const { pid, started } of members) known.set(pid, started);
  return members;
}

function ancestorsOf(pid: number, byPid: ReadonlyMap<number, ProcessEntry>): Map<number, boolean> {
  const ancestors = new Map([
    [pid, false],
    [1, false],
    [0, false],
  ]);
  let parent = byPid.get(pid)?.parent;
  while (parent !== undefined && !ancestors.has(parent)) {
    ancestors.set(parent, false);
    parent = byPid.get(parent)?.parent;
  }
  return ancestors;
}

/** The group as a whole first: it may have got new members since it was read. */
function send(members: readonly ProcessEntry[], group: number | undefined, signal: NodeJS.Signals): void {
  const inGroup = members.filter((entry) => entry.group === group);
  if (group !== undefined && inGroup.length > 0) sendTo(-group, signal);
  for (const entry of members) if (entry.group !== group) sendTo(entry.pid, signal);
}

/** It may have ended in the meantime, or belong to another user. */
function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}
