import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FetchedMail, UidRange } from '../../mail-connector.ts';
import { contentHash } from '../../mime/content-hash.ts';
import { parseEmail } from '../../mime/parse-email.ts';
import { uidsInRange } from './changes.ts';
import type { ImapConnection } from './connection.ts';
import { CallerError } from './failure.ts';
import { type FetchedRow, fetchRows } from './fetch-rows.ts';
import { type LargeEmail, parseLargeEmails } from './large-emails.ts';
import { MAX_EMAIL_BYTES } from './limits.ts';
import { toFacts } from './mail-facts.ts';
import { MAX_UID, numbersIn, uidSet } from './uid-set.ts';

type Take = (batch: readonly FetchedMail[]) => Promise<void>;

/** Emails of one FETCH. Other commands can run between two of them. */
const SLICE = 500;
/** Emails and bytes of one batch. */
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 2 * 1_024 * 1_024;
/** Parsing gives way to other work this often. */
const TURN_MS = 10;

export async function fetchEmails(
  connection: ImapConnection,
  path: string,
  range: UidRange,
  take: Take,
): Promise<void> {
  const uids = isShort(range) ? numbersIn(range) : await uidsInRange(connection, path, range);
  try {
    for (let at = 0; at < uids.length; at += SLICE) {
      const slice = uids.slice(at, at + SLICE);
      await connection.inFolder(path, 'read', () => fetchSlice(connection, slice, take));
    }
  } catch (error) {
    throw error instanceof CallerError ? error.cause : error;
  }
}

/** Emails of a short range are asked for at once, whether or not all of them exist. */
function isShort({ from, to }: UidRange): boolean {
  return from > 0 && to <= MAX_UID && to - from < SLICE;
}

async function fetchSlice(connection: ImapConnection, uids: readonly number[], take: Take): Promise<void> {
  const batch = createBatch((mails) => connection.callBack(() => take(mails)));
  const wanted = new Set(uids);
  const large: LargeEmail[] = [];
  /** From the first large email on: the order of UIDs is kept, and no command can run before the stream has ended. */
  const held: FetchedMail[] = [];
  let turn = performance.now();
  await fetchRows(connection, uidSet(uids), async (row) => {
    // Flags that another client changes meanwhile come as rows, too.
    if (row.size === undefined || row.source === undefined || !wanted.delete(row.uid)) return;
    const mail = toMail(row, row.source, large);
    if (large.length > 0) held.push(mail);
    else await batch.add(mail, row.source.length);
    if (performance.now() - turn < TURN_MS) return;
    await nextTurn();
    turn = performance.now();
  });
  const complete = large.length === 0 ? undefined : await parseLargeEmails(connection.client, large);
  for (const mail of held) {
    await batch.add({ ...mail, email: complete?.get(mail.uid) ?? mail.email }, Math.min(mail.size, MAX_EMAIL_BYTES));
  }
  await batch.end();
}

function toMail(row: FetchedRow, source: Buffer, large: LargeEmail[]): FetchedMail {
  const isTruncated = source.length >= MAX_EMAIL_BYTES && row.size !== MAX_EMAIL_BYTES;
  // A server may send more than it was asked for.
  const beginning = source.subarray(0, MAX_EMAIL_BYTES);
  if (isTruncated) large.push({ uid: row.uid, beginning });
  const facts = toFacts(row);
  const email = parseEmail(beginning, { isTruncated });
  return { ...facts, email, contentHash: contentHash(beginning, isTruncated ? facts.size : beginning.length) };
}

function createBatch(take: Take) {
  let mails: FetchedMail[] = [];
  let bytes = 0;
  const end = async () => {
    if (mails.length === 0) return;
    const full = mails;
    mails = [];
    bytes = 0;
    await take(full);
  };
  return {
    end,
    async add(mail: FetchedMail, size: number) {
      mails.push(mail);
      bytes += size;
      if (mails.length >= MAX_BATCH || bytes >= MAX_BATCH_BYTES) await end();
    },
  };
}
