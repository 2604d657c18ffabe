import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProgramOptions, programEnvironment, programPath, runProgram } from '../program.ts';
import { rpcOverLines } from './rpc-lines.ts';

export interface ShimStart extends Omit<ProgramOptions, 'stdin'> {
  /** Another build than the one under test. */
  program?: string;
}

/** `switchboard mcp` as an assistant starts it, with a client on the other end. */
export function startShim(options: ShimStart = {}, args: readonly string[] = []) {
  const { program = programPath, cwd } = options;
  const child = spawn(process.execPath, [program, 'mcp', ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: programEnvironment(options),
  });
  // One that has ended reads no more; its end is what the test looks at.
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

/** Waits until something is so; there is no event for what another process does. */
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

/** Where nobody collects orphans, the dead stay in the table. */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, ''));
  } catch {
    return false;
  }
}

/** The processes that work for a home, as the system knows them. */
export function processesOf(home: string): number[] {
  if (!existsSync('/proc')) return [];
  const own = `SWITCHBOARD_HOME=${home}\0`;
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

/** Ends whatever still works for a home, and removes it: a daemon does not stay without one. */
export function removeHome(home: string): void {
  // Whoever was starting another one may have done so after we looked.
  for (let pids = processesOf(home); pids.length > 0; pids = processesOf(home)) {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended in the meantime.
      }
    }
  }
  // Whoever was killed may write for a moment still.
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
