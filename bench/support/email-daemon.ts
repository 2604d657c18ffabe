import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, shakeHands } from './client.ts';
import { MEMORY } from './email-server.ts';
import type { ImapAddress } from './imap-client.ts';
import { announced, end, type Running, start } from './process.ts';
import { createStdioClient } from './stdio-client.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
const TURNS = join(import.meta.dirname, 'longest-turn-program.mjs');
const CONNECTING_MS = 20_000;

/** The built program with one account, in a home of its own. */
export interface EmailDaemon {
  readonly running: Running;
  /** An agent behind a shim that sees only email. */
  readonly agent: Client;
  /** Resolves when the account equals the server: all its emails can be found. */
  sync(): Promise<void>;
  /** What is stored of the inbox. */
  inbox(): Promise<{ messages: number; unread: number }>;
  /** Milliseconds since the start; undefined if it was never blocked. */
  longestTurn(): number | undefined;
  /** The home remains. */
  stop(): Promise<void>;
}

interface StoredFolder {
  role?: string;
  messages: number;
  unread: number;
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
    sync: () => syncAccounts(url),
    async inbox() {
      const { folders } = (await (await fetch(`${url}/api/v1/folders`)).json()) as { folders: StoredFolder[] };
      const { messages = 0, unread = 0 } = folders.find(({ role }) => role === 'inbox') ?? {};
      return { messages, unread };
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

/** Asks again while the account is being connected. */
async function syncAccounts(url: string): Promise<void> {
  const giveUpAt = performance.now() + CONNECTING_MS;
  for (;;) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/accounts/sync`, { method: 'POST', headers, body: '{}' });
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 503 || performance.now() > giveUpAt) throw new Error(`The sync failed: ${text}`);
    await delay(10);
  }
}

function numberIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
