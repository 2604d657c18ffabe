import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ImapAddress } from './imap-client.ts';

const PROGRAMS = [
  { program: 'mbsync', package: 'isync' },
  { program: 'mu', package: 'maildir-utils' },
  { program: 'notmuch', package: 'notmuch' },
] as const;

export type PeerProgram = (typeof PROGRAMS)[number]['program'];

/** After a change of a Maildir, mbsync waits until the next second, so that it cannot miss another change. */
const MBSYNC_SETTLES_MS = 2_000;

/** Which of them are installed; says which are not. As root they are installed first. */
export function installedPeers({ install }: { install: boolean }): Set<PeerProgram> {
  const missing = PROGRAMS.filter(({ program }) => !isThere(program));
  if (install && missing.length > 0 && process.getuid?.() === 0) {
    const packages = missing.map((each) => each.package);
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { stdio: 'ignore' });
  }
  for (const each of missing.filter(({ program }) => !isThere(program))) {
    console.error(`${each.program} is not installed (Debian package ${each.package}): not compared with it.`);
  }
  return new Set(PROGRAMS.map(({ program }) => program).filter(isThere));
}

/** Copies INBOX of a server into a Maildir. */
export interface Mbsync {
  readonly maildir: string;
  /** Milliseconds of one run. */
  sync(): Promise<number>;
  /** How many emails it has. */
  emails(): number;
  /** Waits until its next run need not. */
  settle(): Promise<void>;
}

export function createMbsync(folder: string, server: ImapAddress): Mbsync {
  const maildir = join(folder, 'maildir');
  const inbox = join(maildir, 'INBOX');
  const config = join(folder, 'mbsyncrc');
  mkdirSync(maildir, { recursive: true });
  writeFileSync(config, mbsyncConfig(maildir, server), { mode: 0o600 });
  return {
    maildir,
    sync: () => timed('mbsync', ['-q', '-c', config, '-a'], folder),
    emails: () =>
      ['cur', 'new'].map((name) => join(inbox, name)).reduce((sum, path) => sum + readdirSync(path).length, 0),
    settle: () => delay(MBSYNC_SETTLES_MS),
  };
}

/** It only reads from the server, as quickly as it can. */
function mbsyncConfig(maildir: string, { host, port, user, password }: ImapAddress): string {
  return `FSync no

IMAPAccount bench
Host ${host}
Port ${port}
User ${user}
Pass ${password}
SSLType None
AuthMechs LOGIN

IMAPStore server
Account bench

MaildirStore local
Path ${maildir}/
Inbox ${maildir}/INBOX
SubFolders Verbatim

Channel bench
Far :server:
Near :local:
Patterns INBOX
Create Near
Sync Pull
CopyArrivalDate yes
SyncState *
`;
}

/** Milliseconds in which mu makes the emails searchable. */
export async function indexWithMu(maildir: string, folder: string, emails: number): Promise<number> {
  const home = `--muhome=${join(folder, 'mu')}`;
  await run('mu', ['init', home, `--maildir=${maildir}`], folder);
  const ms = await timed('mu', ['index', '--quiet', home], folder);
  const found = /messages in store \| (\d+)/.exec(await run('mu', ['info', home, 'store'], folder))?.[1];
  expectAll('mu', Number(found), emails);
  return ms;
}

/** Milliseconds in which notmuch makes the emails searchable. */
export async function indexWithNotmuch(maildir: string, folder: string, emails: number): Promise<number> {
  const config = join(folder, 'notmuch-config');
  const ignored = '.uidvalidity;.mbsyncstate';
  writeFileSync(config, `[database]\npath=${maildir}\n[new]\ntags=unread;inbox;\nignore=${ignored}\n`);
  const ms = await timed('notmuch', [`--config=${config}`, 'new', '--quiet'], folder);
  expectAll('notmuch', Number(await run('notmuch', [`--config=${config}`, 'count', '*'], folder)), emails);
  return ms;
}

/** A peer that does less than it should is not measured. */
export function expectAll(who: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${who} has ${found} of ${expected} emails.`);
}

/** Another process may be writing into it until it ends. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

async function timed(program: string, args: readonly string[], home: string): Promise<number> {
  const startedAt = performance.now();
  await run(program, args, home);
  return performance.now() - startedAt;
}

async function run(program: string, args: readonly string[], home: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
  const { stdout } = await promisify(execFile)(program, args, { env, maxBuffer: 1e8 });
  return stdout;
}

function isThere(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}
