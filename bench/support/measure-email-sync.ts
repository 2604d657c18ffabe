import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { EmailCorpus } from './email-corpus.ts';
import { createHome, type EmailDaemon, startEmailDaemon } from './email-daemon.ts';
import {
  createMbsync,
  expectAll,
  indexWithMu,
  indexWithNotmuch,
  type Mbsync,
  type PeerProgram,
  removeFolder,
} from './email-peers.ts';
import { type EmailServer, MEMORY } from './email-server.ts';
import { searchUids } from './imap-client.ts';
import { peakMemoryOf, start } from './process.ts';
import type { Measure, Samples } from './report.ts';

const FETCH = join(import.meta.dirname, 'email-fetch-program.ts');
const NEW_EMAILS = 100;
const CHANGED_FLAGS = 1_000;
const REPORTED_MS = 1_000;

export const EMAIL_SYNC_MEASURES: Measure[] = [
  { id: 'fetch', title: 'fetch all emails', unit: 's' },
  { id: 'parse', title: 'fetch and parse all emails', unit: 's' },
  { id: 'first', title: 'fetch all emails and make them searchable', unit: 's', peer: 'mu' },
  { id: 'memory', title: 'memory of the first sync, at most', unit: 'MB' },
  { id: 'turn', title: 'longest turn while it runs', unit: 'ms' },
  { id: 'incremental', title: `sync ${NEW_EMAILS} new emails and 1,000 flags`, unit: 'ms' },
];

interface Contest {
  corpus: EmailCorpus;
  emails: number;
  server: EmailServer;
  peers: ReadonlySet<PeerProgram>;
}

/** What the first sync leaves behind, for the next measures. */
export interface SyncedContenders {
  home: string;
  daemon: EmailDaemon;
  mbsync?: Mbsync;
}

/** Each round starts with nothing. The indexes of mu and notmuch are made once, as they take long. */
export async function measureFirstSync(contest: Contest, rounds: number, samples: Samples): Promise<SyncedContenders> {
  const { server, emails, peers } = contest;
  for (let round = 0; ; round++) {
    const isLast = round === rounds - 1;
    const folder = mkdtempSync(join(MEMORY, 'switchboard-bench-peers-'));
    process.once('exit', () => removeFolder(folder));
    const mbsync = peers.has('mbsync') ? createMbsync(folder, server.imap) : undefined;
    if (mbsync) {
      samples.add('fetch', 'mbsync', (await mbsync.sync()) / 1_000);
      expectAll('mbsync', mbsync.emails(), emails);
    }
    samples.add('fetch', 'ours', (await fetchOurs(contest, 'raw')) / 1_000);
    samples.add('parse', 'ours', (await fetchOurs(contest, 'parsed')) / 1_000);
    const ours = await firstSync(contest, samples);
    if (isLast) {
      if (mbsync) await measureIndexes(contest, folder, mbsync, samples);
      return { ...ours, ...(mbsync ? { mbsync } : {}) };
    }
    await ours.daemon.stop();
    removeFolder(ours.home);
    removeFolder(folder);
  }
}

/** Milliseconds of the product's IMAP connection alone. */
async function fetchOurs({ server, emails }: Contest, what: 'raw' | 'parsed'): Promise<number> {
  const { host, port, user, password } = server.imap;
  const running = start({ args: [FETCH, host, String(port), user, password, String(emails), what] });
  running.stderr.pipe(process.stderr);
  const printed = await text(running.stdout);
  if (printed === '') throw new Error('The emails could not be fetched.');
  return Number(printed);
}

async function firstSync(
  { server, emails }: Contest,
  samples: Samples,
): Promise<{ home: string; daemon: EmailDaemon }> {
  const home = createHome();
  const startedAt = performance.now();
  const daemon = await startEmailDaemon(home, server.imap);
  await daemon.sync();
  samples.add('first', 'ours', (performance.now() - startedAt) / 1_000);
  samples.add('memory', 'ours', peakMemoryOf(daemon.running));
  samples.add('turn', 'ours', daemon.longestTurn() ?? 0);
  expectAll('Switchboard', (await daemon.inbox()).messages, emails);
  return { home, daemon };
}

/** Added to each run of mbsync. */
async function measureIndexes({ emails, peers }: Contest, folder: string, mbsync: Mbsync, samples: Samples) {
  const indexes = { mu: indexWithMu, notmuch: indexWithNotmuch };
  for (const id of ['mu', 'notmuch'] as const) {
    if (!peers.has(id)) continue;
    const seconds = (await indexes[id](mbsync.maildir, folder, emails)) / 1_000;
    for (const fetching of samples.of('fetch', 'mbsync')) samples.add('first', id, fetching + seconds);
  }
}

/** Other mail programs change the mailbox while neither contender runs; then each has to catch up. */
export async function measureIncrementalSync(
  contest: Contest,
  { daemon, mbsync }: SyncedContenders,
  rounds: number,
  samples: Samples,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const before = contest.emails + round * NEW_EMAILS;
    daemon.running.kill('SIGSTOP');
    await changeMailbox(contest, round, before);
    // Dovecot reports changes to those who wait in IDLE, after half a second.
    await delay(REPORTED_MS);
    const startedAt = performance.now();
    daemon.running.kill('SIGCONT');
    await daemon.sync();
    samples.add('incremental', 'ours', performance.now() - startedAt);
    const unread = await searchUids(contest.server.other, 'UNSEEN');
    assert.deepEqual(await daemon.inbox(), { messages: before + NEW_EMAILS, unread: unread.length });
    if (!mbsync) continue;
    await mbsync.settle();
    samples.add('incremental', 'mbsync', await mbsync.sync());
    expectAll('mbsync', mbsync.emails(), before + NEW_EMAILS);
  }
}

/** Marks emails as unread, or as read again, and adds new ones. */
async function changeMailbox({ corpus, server }: Contest, round: number, from: number): Promise<void> {
  const [criteria, change] = round % 2 === 0 ? ['SEEN', '-FLAGS.SILENT'] : ['UNSEEN', '+FLAGS.SILENT'];
  const marked = await searchUids(server.other, criteria);
  const step = Math.max(1, Math.floor(marked.length / CHANGED_FLAGS));
  const changed = marked.filter((_, index) => index % step === 0).slice(0, CHANGED_FLAGS);
  await server.other.command(`UID STORE ${changed.join(',')} ${change} (\\Seen)`);
  for (let index = from; index < from + NEW_EMAILS; index++) {
    await server.other.append('INBOX', corpus.email(index).bytes);
  }
}
