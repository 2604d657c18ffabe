import { parentOf } from './ancestors.ts';
import { type ProcessFacts, processFacts } from './process-facts.ts';
import { isWrapper } from './shared-servers.ts';

export interface StartingProgram {
  isThere(): Promise<boolean>;
}

/**
 * Whether the program that started this process still runs. Hooks are run by a shell, which outlives an assistant that was
 * killed: so the program is the first parent that does not only start others.
 */
export async function startingProgram(): Promise<StartingProgram> {
  const [own, ...parents] = await processFacts(process.pid);
  const starter = parents.findIndex((each) => !isWrapper(each));
  const pids = [own, ...parents.slice(0, starter + 1)].map((each) => each?.pid);
  return { isThere: () => isWhole(pids.filter((pid) => pid !== undefined)) };
}

/** A process gets another parent the moment its own ends, even while that one is still listed. */
async function isWhole(pids: readonly ProcessFacts['pid'][]): Promise<boolean> {
  if (process.ppid !== (pids[1] ?? INITIAL_PARENT)) return false;
  for (const [at, pid] of pids.slice(1, -1).entries()) {
    if ((await parentOf(pid)) !== pids[at + 2]) return false;
  }
  return true;
}

/** Where parents are hidden. */
const INITIAL_PARENT = process.ppid;
