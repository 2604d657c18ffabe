import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const START_MS = 60_000;
const POLL_MS = 10;

/** A server that runs in the foreground and starts processes of its own. */
export interface ServerProcess {
  up(): Promise<void>;
  /** Nothing listens afterwards, and all connections are closed. */
  down(): Promise<void>;
  /** Connections are accepted, but nothing is answered. */
  hang(): void;
  unhang(): void;
}

/** `ports` are all that it listens on. It ends with this process, however this one ends. */
export function serverProcess(
  command: readonly string[],
  { host, ports, as }: { host: string; ports: readonly number[]; as?: number },
): ServerProcess {
  let server: ChildProcess | undefined;
  const family = () => (server?.pid === undefined ? [] : [server.pid, ...descendants(server.pid)]);
  const down = async () => {
    if (!server) return;
    const pids = family();
    const ended = isRunning(server) ? once(server, 'exit') : undefined;
    signal(pids, 'SIGKILL');
    await ended;
    await Promise.all(pids.map(gone));
    server = undefined;
  };
  return {
    down,
    async up() {
      if (server) return;
      const user = as === undefined ? [] : [`--reuid=${as}`, `--regid=${as}`, '--clear-groups'];
      server = spawn('setpriv', [...user, '--pdeathsig=KILL', ...command], { stdio: 'ignore' });
      try {
        for (const port of ports) await answers(server, host, port);
      } catch (error) {
        await down();
        throw error;
      }
    },
    hang: () => signal(family(), 'SIGSTOP'),
    unhang: () => signal(family(), 'SIGCONT'),
  };
}

async function answers(server: ChildProcess, host: string, port: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!(await accepts(host, port))) {
    if (!isRunning(server)) throw new Error(`the server for port ${port} ended at once`);
    if (Date.now() > deadline) throw new Error(`no server on port ${port}`);
    await delay(POLL_MS);
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, host, () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function descendants(pid: number): number[] {
  const children = processes().filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child.pid, ...descendants(child.pid)]);
}

function processes(): { pid: number; parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const parent = stateOf(Number(name))?.parent;
      return parent === undefined ? [] : [{ pid: Number(name), parent }];
    });
}

function stateOf(pid: number): { letter: string; parent: number } | undefined {
  try {
    // The name before it may contain anything.
    const [letter = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { letter, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

async function gone(pid: number): Promise<void> {
  while (!['Z', undefined].includes(stateOf(pid)?.letter)) await delay(POLL_MS);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}
