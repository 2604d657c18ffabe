import { type FetchedMail, MailError, type MailSession } from '../../connectors/mail-connector.ts';
import type { FetchCare } from './fetch-losses.ts';
import { rangesOf } from './uid-steps.ts';

interface FetchTask {
  path: string;
  /** Ascending. */
  uids: readonly number[];
  /** If careful, each email is asked for alone, to find the one that ends the connection. */
  care: FetchCare;
  take(batch: readonly FetchedMail[]): Promise<void>;
  /** The server refuses this one email, which is left out. */
  unreadable(uid: number): void;
  /** The connection was lost; `uid` if emails were asked for one by one. */
  lost(uid: number | undefined): void;
}

/**
 * Fetches emails, and leaves out those that the server cannot deliver: a damaged one would otherwise keep all others of its folder
 * from being fetched. Throws MailError `refused` if there is none that it delivers.
 */
export async function fetchUids(source: Pick<MailSession, 'fetch'>, task: FetchTask): Promise<void> {
  const { path, care, lost } = task;
  const uids = task.uids.filter((uid) => !care.unreadable.includes(uid));
  if (care.isCareful) return fetchOneByOne(source, task, uids);
  const wanted = new Set(uids);
  for (const range of rangesOf(uids, care.unreadable)) {
    try {
      await source.fetch(path, range, async (batch) => {
        const some = batch.filter(({ uid }) => wanted.has(uid));
        if (some.length > 0) await task.take(some);
      });
    } catch (error) {
      if (!isMailError(error, 'refused')) {
        if (isMailError(error, 'lost')) lost(undefined);
        throw error;
      }
      const within = uids.filter((uid) => uid >= range.from && uid <= range.to);
      await fetchOneByOne(source, task, within);
    }
  }
}

async function fetchOneByOne(
  source: Pick<MailSession, 'fetch'>,
  { path, take, unreadable, lost }: FetchTask,
  uids: readonly number[],
): Promise<void> {
  const refusals = new Map<number, unknown>();
  for (const uid of uids) {
    try {
      await source.fetch(path, { from: uid, to: uid }, take);
    } catch (error) {
      if (isMailError(error, 'lost')) lost(uid);
      if (!isMailError(error, 'refused')) throw error;
      refusals.set(uid, error);
      // It is the folder that cannot be read.
      if (refusals.size > MAX_REFUSALS && refusals.size > uids.indexOf(uid)) throw error;
    }
  }
  const [first] = refusals;
  if (first && refusals.size === uids.length) throw first[1];
  for (const uid of refusals.keys()) unreadable(uid);
}

const MAX_REFUSALS = 20;

function isMailError(error: unknown, kind: MailError['kind']): boolean {
  return error instanceof MailError && error.kind === kind;
}
