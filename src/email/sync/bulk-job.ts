import type { MailSession, UidRange } from '../../connectors/mail-connector.ts';
import type { FolderRole } from '../../domain/email.ts';
import type { MailStore } from '../ports.ts';
import { toStore } from '../rules/identity.ts';
import { createMailWriter, type MailWriter } from './mail-writer.ts';

/** Emails of a folder that are not stored yet. `older`: below those that are, newest first; `newer`: above them. */
export interface FolderGap extends UidRange {
  folder: number;
  path: string;
  role?: FolderRole;
  uidValidity: string;
  direction: 'older' | 'newer';
}

export interface BulkRequest {
  account: string;
  ownAddresses: readonly string[];
  gaps: readonly FolderGap[];
  /** Older emails are left on the server; milliseconds. */
  since?: number;
}

/** The part of a session that reads many emails. */
export type MailSource = Pick<MailSession, 'status' | 'uids' | 'facts' | 'fetch'>;

export interface BulkParts {
  mail: Pick<MailStore, 'record' | 'saveProgress' | 'locateKnown'>;
  source: MailSource;
  signal: AbortSignal;
  progress(done: number, total: number): void;
}

/** Emails per step: how far a folder is stored is saved after each. */
const STEP = 1_000;

/**
 * Fetches many emails. A killed process loses one step, which the next one fetches again: an email that is stored already is
 * recognised by its content.
 */
export async function runBulkJob(request: BulkRequest, parts: BulkParts): Promise<void> {
  const { source, signal, progress } = parts;
  const lists: (readonly number[])[] = [];
  for (const gap of request.gaps) {
    signal.throwIfAborted();
    lists.push((await source.uids(gap.path)).filter((uid) => uid >= gap.from && uid <= gap.to));
  }
  const total = lists.reduce((sum, uids) => sum + uids.length, 0);
  const writer = createMailWriter(request.account, parts.mail, (done) => progress(done, total));
  progress(0, total);
  for (const [index, gap] of request.gaps.entries()) {
    const uids = lists[index] ?? [];
    await checkNumbering(gap, source);
    for (const step of stepsOf(uids, gap)) {
      signal.throwIfAborted();
      if (await isTooOld(request, gap, step, source)) break;
      await fetchStep(request, gap, step, parts, writer);
    }
  }
  await writer.end();
  progress(total, total);
}

async function checkNumbering({ path, uidValidity }: FolderGap, source: MailSource): Promise<void> {
  const status = await source.status(path);
  if (status.uidValidity !== uidValidity) throw new Error('the folder was numbered anew while it was fetched');
}

interface Step {
  uids: readonly number[];
  /** What is stored afterwards. */
  bound: number;
}

function stepsOf(uids: readonly number[], { from, to, direction }: FolderGap): Step[] {
  const steps: Step[] = [];
  const count = Math.max(1, Math.ceil(uids.length / STEP));
  for (let index = 0; index < count; index += 1) {
    const isLast = index === count - 1;
    const some =
      direction === 'newer'
        ? uids.slice(index * STEP, (index + 1) * STEP)
        : uids.slice(Math.max(0, uids.length - (index + 1) * STEP), uids.length - index * STEP);
    const bound = direction === 'newer' ? (isLast ? to : (some.at(-1) ?? to)) + 1 : isLast ? from : (some[0] ?? from);
    steps.push({ uids: some, bound });
  }
  return steps;
}

/** Whether the newest email of this step is older than wanted: then the others are, too. */
async function isTooOld(
  { since }: BulkRequest,
  { path, direction }: FolderGap,
  { uids }: Step,
  source: MailSource,
): Promise<boolean> {
  const newest = uids.at(-1);
  if (since === undefined || direction === 'newer' || newest === undefined) return false;
  const [facts] = await source.facts(path, { from: newest, to: newest });
  return facts !== undefined && facts.receivedAt < since;
}

/** Returns when all emails of the step were fetched; they may still wait to be stored. */
async function fetchStep(
  { account, ownAddresses }: BulkRequest,
  { folder, path, role, direction }: FolderGap,
  { uids, bound }: Step,
  { mail, source }: Pick<BulkParts, 'mail' | 'source'>,
  writer: MailWriter,
): Promise<void> {
  const wanted = await unknownOf({ account, folder, path }, uids, { mail, source });
  writer.skipped(uids.length - wanted.length);
  for (const range of rangesOf(wanted)) {
    await source.fetch(path, range, (batch) =>
      writer.add(
        folder,
        batch.map((each) => toStore(each, role, ownAddresses)),
      ),
    );
  }
  writer.complete(folder, direction === 'newer' ? { high: bound } : { low: bound });
}

/** Where the server has ids of its own, an email that is in another folder too is not fetched again. */
async function unknownOf(
  { account, folder, path }: { account: string; folder: number; path: string },
  uids: readonly number[],
  { mail, source }: Pick<BulkParts, 'mail' | 'source'>,
): Promise<readonly number[]> {
  const [first] = uids;
  if (first === undefined) return uids;
  const [sample] = await source.facts(path, { from: first, to: first });
  if (sample?.emailId === undefined) return uids;
  const facts = await source.facts(path, { from: first, to: uids.at(-1) ?? first });
  return mail.locateKnown(account, folder, facts);
}

/** Ranges that contain these UIDs; a UID between them does not exist, unless it is known. */
function rangesOf(uids: readonly number[]): UidRange[] {
  const ranges: UidRange[] = [];
  for (const uid of uids) {
    const last = ranges.at(-1);
    if (last && uid - last.to < 100) last.to = uid;
    else ranges.push({ from: uid, to: uid });
  }
  return ranges;
}
