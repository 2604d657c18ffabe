import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProgramOptions, programEnvironment, programPath, runProgram } from '../program.ts';
import { rpcOverLines } from './rpc-lines.ts';

export interface ShimStart extends Omit<ProgramOptions, 'stdin'> {
  /** A build other than the one under test. */
  program?: string;
}

/** `switchboard mcp` as an assistant starts it, with a client on the other end. */
export function startShim(options: ShimStart = {}, args: readonly string[] = []) {
  const { program = programPath, cwd } = options;
  const child = spawn(process.execPath, [program, 'mcp', ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: programEnvironment(options),
  });
  // A process that has exited does not read; the test checks its exit.
  child.stdin.on('error', () => {});
  const stderr = text(child.stderr);
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  const client = rpcOverLines(child.stdin, child.stdout);

  return {
    ...client,
    pid: child.pid ?? 0,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    async ended() {
      const [code, signal] = await closed;
      return { code, signal, stderr: await stderr, noise: client.noise };
    },
    async stop() {
      client.end();
      return this.ended();
    },
  };
}

export type Shim = ReturnType<typeof startShim>;

export interface DaemonStatus {
  running: boolean;
  pid: number;
  version: string;
  kind: string;
  clients: number;
  url?: string;
}

export async function daemonStatus(home: string): Promise<DaemonStatus> {
  const { stdout } = await runProgram(['daemon', 'status', '--json'], { home });
  return JSON.parse(stdout) as DaemonStatus;
}

/** Polls until a condition is true; there are no events for what another process does. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 180_000): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(`it did not come to this: ${what}`);
    await sleep(10);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** Without an init process that reaps orphans, exited processes stay in the table. */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, ''));
  } catch {
    return false;
  }
}

/** The running processes of a home, by their environment; or those of another folder that a variable names. */
export function processesOf(home: string, variable = 'SWITCHBOARD_HOME'): number[] {
  if (!existsSync('/proc')) return [];
  const own = `${variable}=${home}\0`;
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(own) && isAlive(pid);
      } catch {
        return false;
      }
    });
}

/** Kills all processes of a home, and removes it. */
export function removeHome(home: string): void {
  removeFolderOf(home, 'SWITCHBOARD_HOME');
}

/** The same for the home of a user, with all that was started there. */
export function removeUserHome(user: string): void {
  removeFolderOf(user, 'HOME');
}

function removeFolderOf(home: string, variable: string): void {
  // A process may have started another one after the list was read.
  for (let pids = processesOf(home, variable); pids.length > 0; pids = processesOf(home, variable)) {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited already.
      }
    }
  }
  // A killed process may still be writing.
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
