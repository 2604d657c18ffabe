import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../lib/log.ts';
import type { KnownRepositories, LetterIndex, MailIndexer } from '../ports.ts';
import { mailboxesIn, mailFoldersOf } from './list-mailboxes.ts';
import { repliesIn } from './replies.ts';
import { scanMailbox } from './scan-mailbox.ts';

export interface IndexerParts {
  index: LetterIndex;
  repositories: KnownRepositories;
  log: Log;
}

/** A query waits no longer than this for new letters to be indexed. */
const TIMEOUT_MS = 2_000;
const FIRST_LOOK_MS = 3_000;
const LOOK_EVERY_MS = 60_000;
const REPLIES_AT_ONCE = 500;

export interface RunningIndexer extends MailIndexer {
  /** Indexes periodically from now on. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Keeps the index up to date with the mailboxes of all known repositories. */
export function createIndexer({ index, repositories, log }: IndexerParts): RunningIndexer {
  const stopping = new AbortController();
  /** State of each mailbox file when it was last read; unchanged ones are not opened. */
  const seen = new Map<string, string>();
  const linkedUntil = new Map<string, number>();
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** One run at a time; calls during a run share the next one. */
  function look(): Promise<void> {
    waiting ??= inTurn(() => {
      waiting = undefined;
      return readAll();
    });
    return waiting;
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  async function readAll(): Promise<void> {
    await index.copyFormerLetters();
    for (const { folder } of await repositories.list()) {
      if (stopping.signal.aborted) return;
      try {
        for (const mailFolder of mailFoldersOf(folder)) {
          for (const mailbox of mailboxesIn(mailFolder)) await readMailbox(folder, mailbox);
        }
        await linkReplies(folder);
      } catch (err) {
        log.warn({ err, folder }, 'the agent mail of a repository could not be indexed');
      }
    }
  }

  async function readMailbox(repository: string, mailbox: string): Promise<void> {
    const state = stateOf(mailbox);
    if (state === undefined || seen.get(mailbox) === state || stopping.signal.aborted) return;
    await scanMailbox(mailbox, { repository, index, stop: stopping.signal });
    seen.set(mailbox, state);
  }

  async function linkReplies(repository: string): Promise<void> {
    for (;;) {
      const since = linkedUntil.get(repository) ?? 0;
      const replies = repliesIn(repository, since, REPLIES_AT_ONCE);
      const newest = replies.at(-1)?.storedAt;
      if (newest === undefined) return;
      await index.link(repository, replies);
      linkedUntil.set(repository, newest);
      if (replies.length < REPLIES_AT_ONCE || newest === since || stopping.signal.aborted) return;
    }
  }

  function lookLater(ms: number): void {
    timer = setTimeout(() => {
      look()
        .catch((err: unknown) => log.warn({ err }, 'agent mail could not be indexed'))
        .finally(() => stopping.signal.aborted || lookLater(LOOK_EVERY_MS));
    }, ms);
    timer.unref();
  }

  return {
    async refresh() {
      await Promise.race([look(), sleep(TIMEOUT_MS, undefined, { ref: false })]);
    },
    rebuild: () =>
      inTurn(async () => {
        await index.clearMarks();
        seen.clear();
        linkedUntil.clear();
        await readAll();
        return { repositories: (await repositories.list()).length, letters: await index.count() };
      }),
    async start() {
      lookLater(FIRST_LOOK_MS);
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await last;
    },
  };
}

function stateOf(mailbox: string): string | undefined {
  const found = lstatSync(mailbox, { throwIfNoEntry: false });
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeMs}` : undefined;
}
