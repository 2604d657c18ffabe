import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const MOST = 256;

/** The process and its parents, nearest first, as far as they can be seen. */
export async function ancestorsOf(pid: number): Promise<number[]> {
  const parentOf = process.platform === 'linux' ? parentFromProc : await parentsFromPs();
  const found: number[] = [];
  for (let at: number | undefined = pid; at !== undefined && at > 1 && found.length < MOST; at = parentOf(at)) {
    if (found.includes(at)) break;
    found.push(at);
  }
  return found;
}

function parentFromProc(pid: number): number | undefined {
  try {
    return parentInStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** `4711 (name) S 42 …`, where the name may itself contain spaces and brackets. */
export function parentInStat(stat: string): number | undefined {
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return parent === undefined ? undefined : Number(parent);
}

async function parentsFromPs(): Promise<(pid: number) => number | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid='], { timeout: 2_000 });
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const parents = new Map(pairs.map(([pid = 0, parent = 0]) => [pid, parent]));
  return (pid) => parents.get(pid);
}
