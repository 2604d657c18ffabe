import { MailError, type MailSession, type UidRange } from '../../connectors/mail-connector.ts';
import type { FolderRole } from '../../domain/email.ts';
import { FolderChangedError, type MailStore } from '../ports.ts';
import { toStore } from '../rules/identity.ts';
import type { FetchCare, FetchLoss } from './fetch-losses.ts';
import { fetchUids } from './fetch-uids.ts';
import { createMailWriter, type MailWriter } from './mail-writer.ts';
import { type Step, stepsOf } from './uid-steps.ts';

/** Emails of a folder that are not stored yet. `older`: below those that are, newest first; `newer`: above them. */
export interface FolderGap extends UidRange {
  folder: number;
  path: string;
  role?: FolderRole;
  uidValidity: string;
  direction: 'older' | 'newer';
  care: FetchCare;
}

export interface BulkRequest {
  account: string;
  ownAddresses: readonly string[];
  gaps: readonly FolderGap[];
  /** Emails in `older` gaps that the server received before it are left there; milliseconds. */
  since?: number;
}

export interface BulkResult {
  added: number;
  /** Folders that the server does not let us read. */
  refused: readonly number[];
}

/** The part of a session that reads many emails. */
export type MailSource = Pick<MailSession, 'status' | 'uids' | 'facts' | 'fetch'>;

/** What happens meanwhile. */
export interface BulkEvents {
  progress(done: number, total: number): void;
  lost(loss: FetchLoss): void;
  /** An email is left out, because the server cannot deliver it. */
  unreadable(folder: number, uid: number): void;
}

export interface BulkParts extends BulkEvents {
  mail: Pick<MailStore, 'record' | 'saveProgress' | 'locateKnown' | 'uids'>;
  source: MailSource;
  signal: AbortSignal;
}

interface Job {
  request: BulkRequest;
  parts: BulkParts;
  /** Emails that are stored, and how many of them are new; or that need not be stored. */
  stored(count: number, added: number): void;
}

/**
 * Fetches many emails. A killed process loses one batch, which the next one fetches again: an email that is stored already is
 * recognised by its place or its content.
 */
export async function runBulkJob(request: BulkRequest, parts: BulkParts): Promise<BulkResult> {
  const { signal, progress } = parts;
  const refused: number[] = [];
  const lists: (readonly number[])[] = [];
  for (const gap of request.gaps) {
    signal.throwIfAborted();
    lists.push((await unlessUnavailable(() => listOf(gap, parts), gap, refused)) ?? []);
  }
  const total = lists.reduce((sum, uids) => sum + uids.length, 0);
  let done = 0;
  let added = 0;
  progress(done, total);
  const job: Job = {
    request,
    parts,
    stored(count, isNew) {
      added += isNew;
      done = Math.min(done + count, total);
      progress(done, total);
    },
  };
  for (const [index, gap] of request.gaps.entries()) {
    if (refused.includes(gap.folder)) continue;
    await unlessUnavailable(() => fetchGap(job, gap, lists[index] ?? []), gap, refused);
  }
  progress(total, total);
  return { added, refused };
}

/** One folder that is gone, or that cannot be read, does not keep the others from being fetched. */
async function unlessUnavailable<T>(
  work: () => Promise<T>,
  { folder }: FolderGap,
  refused: number[],
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    // The next look at the folder finds out what is left to fetch.
    if (error instanceof FolderChangedError) return undefined;
    if (!(error instanceof MailError) || error.kind !== 'refused') throw error;
    refused.push(folder);
    return undefined;
  }
}

async function listOf({ path, from, to }: FolderGap, { source }: BulkParts): Promise<readonly number[]> {
  return (await source.uids(path)).filter((uid) => uid >= from && uid <= to);
}

async function fetchGap(job: Job, gap: FolderGap, uids: readonly number[]): Promise<void> {
  const { request, parts, stored } = job;
  const { folder, path, uidValidity, direction, from, to } = gap;
  const status = await parts.source.status(path);
  if (status.uidValidity !== uidValidity) throw new FolderChangedError('the folder was numbered anew');
  const expected = { uidValidity, ...(direction === 'newer' ? { high: from } : { low: to + 1 }) };
  const writer = createMailWriter({ account: request.account, folder, expected }, parts.mail, stored);
  try {
    for (const step of stepsOf(uids, gap)) {
      parts.signal.throwIfAborted();
      await fetchStep(job, gap, step, writer);
      writer.complete(direction === 'newer' ? { high: step.bound } : { low: step.bound });
    }
  } finally {
    // Also what was fetched before a failure, so that it need not be fetched again.
    await writer.end();
  }
}

/** Returns when all emails of the step were fetched; they may still wait to be stored. */
async function fetchStep(job: Job, gap: FolderGap, step: Step, writer: MailWriter): Promise<void> {
  const { source, lost, unreadable } = job.parts;
  const { folder, path, role, uidValidity, care } = gap;
  const wanted = await wantedOf(job, gap, step);
  job.stored(step.uids.length - wanted.length, 0);
  await fetchUids(source, {
    path,
    uids: wanted,
    care,
    take: (batch) => writer.add(batch.map((each) => toStore(each, role, job.request.ownAddresses))),
    lost: (uid) => lost({ folder, uidValidity, from: wanted[0] ?? 0, ...(uid === undefined ? {} : { uid }) }),
    unreadable: (uid) => unreadable(folder, uid),
  });
}

/**
 * Those that are neither stored nor too old. The dates are compared one by one: an old email that was put into the folder recently
 * has a high UID. Where the server has ids of its own, an email that is in another folder too is not fetched again.
 */
async function wantedOf(
  { request: { account, since }, parts: { mail, source } }: Job,
  { folder, path, direction, uidValidity }: FolderGap,
  { uids }: Step,
): Promise<readonly number[]> {
  const [first, last] = [uids[0], uids.at(-1)];
  if (first === undefined || last === undefined) return [];
  const stored = new Set(await mail.uids(folder, { from: first, to: last }));
  const unknown = stored.size === 0 ? uids : uids.filter((uid) => !stored.has(uid));
  const [sample] = await source.facts(path, { from: first, to: first });
  const isLimited = since !== undefined && direction === 'older';
  if (!isLimited && sample?.emailId === undefined) return unknown;
  const among = new Set(unknown);
  const facts = (await source.facts(path, { from: first, to: last })).filter(
    ({ uid, receivedAt }) => among.has(uid) && !(isLimited && receivedAt < since),
  );
  return mail.locateKnown(account, folder, facts, { uidValidity });
}
