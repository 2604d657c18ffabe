import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The command is among the first words of a command line, after an interpreter, its options and the program. */
const LATEST_COMMAND = 6;

/**
 * Whether a process runs this command, of ours or of the original program. The name of the program does not count: it can
 * be installed under any. A pid alone proves nothing, because the system reuses it.
 */
export async function runsCommand(pid: number, command: string): Promise<boolean> {
  const words = await commandLine(pid).catch(() => []);
  return words.slice(1, LATEST_COMMAND).includes(command);
}

/** The working directory of a process; undefined where the system does not show it. */
export async function workingFolderOf(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? readlink(`/proc/${pid}/cwd`).catch(() => undefined) : undefined;
}

/** When a process of this user was started, in milliseconds since 1970, to the second; undefined if there is none. */
export async function startOf(pid: number): Promise<number | undefined> {
  try {
    process.kill(pid, 0);
    if (process.platform === 'linux') return await startFromProc(pid);
    const elapsed = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)$/.exec((await ps(pid, 'etime=')).trim());
    if (!elapsed) return undefined;
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = elapsed.slice(1).map((part) => Number(part ?? 0));
    return Date.now() - (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
  } catch {
    return undefined;
  }
}

/** The kernel counts in hundredths of a second since the system was started. */
async function startFromProc(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in parentheses, which may contain anything.
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]) / 100;
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  return Date.now() - (uptime - start) * 1_000;
}

async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  return (await ps(pid, 'command=')).trim().split(' ');
}

async function ps(pid: number, column: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', column], { timeout: 2_000 });
  return stdout;
}
