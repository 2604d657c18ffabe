import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The program is among the first words of a command line, after an interpreter and its options. */
const LATEST_PROGRAM = 4;

/**
 * Whether a process is `agentmail <command>`, ours or the original. A pid alone proves nothing: the system reuses it.
 */
export async function runsAgentmail(pid: number, command: string): Promise<boolean> {
  const words = await commandLine(pid).catch(() => []);
  const program = words.findIndex((word) => /(?:^|\/)agentmail(?:-main)?(?:\.[jt]s)?$/.test(word));
  return program >= 0 && program <= LATEST_PROGRAM && words.slice(program + 1).includes(command);
}

/** The working directory of a process; undefined where the system does not show it. */
export async function workingFolderOf(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? readlink(`/proc/${pid}/cwd`).catch(() => undefined) : undefined;
}

async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command='], { timeout: 2_000 });
  return stdout.trim().split(' ');
}
