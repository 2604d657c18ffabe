import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createDeliveryStates } from '../delivery/delivery-states.ts';
import { isTracked } from '../mailbox/tracked-mailbox.ts';
import type { KnownRepositories, LetterIndex, MailIndexer } from '../ports.ts';
import { statOf } from '../repository/repository-file.ts';
import { mailboxesIn, mailFoldersOf } from './list-mailboxes.ts';
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
const LETTERS_AT_ONCE = 500;
const MAX_REPORTED = 1_000;

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
  const reported = new Set<string>();
  const states = createDeliveryStates(report);
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** The same finding is logged once. */
  function report(finding: string): void {
    if (reported.has(finding) || reported.size > MAX_REPORTED) return;
    reported.add(finding);
    log.warn({}, finding);
  }

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
        for (const mailFolder of mailFoldersOf(folder, report)) {
          for (const mailbox of mailboxesIn(mailFolder, report)) await readMailbox(folder, mailbox);
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
    if (isTracked(mailbox, report)) return;
    try {
      await scanMailbox(mailbox, { repository, index, stop: stopping.signal });
    } catch (error) {
      // Such a file does not keep the others from being indexed.
      if (!(error instanceof AppError)) throw error;
      report(error.message);
    }
    seen.set(mailbox, state);
  }

  async function linkReplies(repository: string): Promise<void> {
    while (!stopping.signal.aborted) {
      const { replies, next } = states.of(repository).replies(linkedUntil.get(repository) ?? 0, LETTERS_AT_ONCE);
      if (next === undefined) return;
      await index.link(repository, replies);
      linkedUntil.set(repository, next);
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
      states.close();
    },
  };
}

function stateOf(mailbox: string): string | undefined {
  const found = statOf(mailbox);
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeMs}` : undefined;
}
