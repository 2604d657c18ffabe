import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, shakeHands } from './client.ts';
import { MEMORY } from './email-server.ts';
import type { ImapAddress } from './imap-client.ts';
import { announced, end, type Running, start } from './process.ts';
import { createStdioClient } from './stdio-client.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
const TURNS = join(import.meta.dirname, 'longest-turn-program.ts');
const POLL_MS = 20;

/** The built program with one account, in a home of its own. */
export interface EmailDaemon {
  readonly running: Running;
  /** An agent behind a shim that sees only email. */
  readonly agent: Client;
  /** Resolves when the account is synced: all its emails can be found. */
  synced(): Promise<void>;
  /** Makes the account equal to the server; resolves when it is. */
  sync(): Promise<void>;
  /** Milliseconds since the start; undefined if it was never blocked. */
  longestTurn(): number | undefined;
  /** The home remains. */
  stop(): Promise<void>;
}

export function createHome(): string {
  const home = mkdtempSync(join(MEMORY, 'switchboard-bench-home-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return home;
}

export async function startEmailDaemon(home: string, imap: ImapAddress): Promise<EmailDaemon> {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.yaml'), configFor(imap), { mode: 0o600 });
  const turns = join(home, 'longest-turn');
  rmSync(turns, { force: true });
  const env = { SWITCHBOARD_HOME: home };
  const running = start({
    args: ['--import', TURNS, CLI, 'serve', '--port', '0'],
    env: { ...env, BENCH_LONGEST_TURN: turns },
  });
  const url = await announced(running, /http:\/\/127\.0\.0\.1:\d+/);
  const agent = createStdioClient(start({ args: [CLI, 'mcp', '--only', 'email'], env }));
  await shakeHands(agent);
  return {
    ...{ running, agent },
    async synced() {
      while (!(await isSynced(url))) await delay(POLL_MS);
    },
    async sync() {
      await post(`${url}/api/v1/accounts/bench/sync`);
    },
    longestTurn: () => numberIn(turns),
    async stop() {
      await agent.close();
      await end(running, 'SIGTERM');
    },
  };
}

function configFor({ host, port, user, password }: ImapAddress): string {
  return `accounts:
  bench:
    email: ${user}
    imap: { host: ${host}, port: ${port}, tls: false }
    auth: { password: ${password} }
`;
}

async function isSynced(url: string): Promise<boolean> {
  const { accounts } = (await (await fetch(`${url}/api/v1/accounts`)).json()) as { accounts: { sync?: string }[] };
  return accounts.every(({ sync }) => sync === 'synced');
}

async function post(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  if (!response.ok) throw new Error(`${url} failed: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

function numberIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
