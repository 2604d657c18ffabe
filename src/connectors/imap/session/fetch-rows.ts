import type { FetchMessageObject } from 'imapflow';
import type { ImapConnection } from './connection.ts';
import { MAX_EMAIL_BYTES } from './limits.ts';
import { quickRow } from './quick-row.ts';

/** What the server tells of one email. */
export type FetchedRow = Pick<
  FetchMessageObject,
  'uid' | 'flags' | 'internalDate' | 'size' | 'emailId' | 'threadId'
> & {
  /** Its beginning; missing in what the server sends unasked. */
  source?: Buffer | undefined;
};

const QUERY = {
  uid: true,
  flags: true,
  internalDate: true,
  size: true,
  threadId: true,
  source: { start: 0, maxLength: MAX_EMAIL_BYTES },
};

/** Rows one after the other; the server waits while `take` is running. */
export async function fetchRows(
  { client, responses }: Pick<ImapConnection, 'client' | 'responses'>,
  set: string,
  take: (row: FetchedRow) => Promise<void>,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  const pass = async (row: FetchedRow) => {
    if (failure) return;
    try {
      await take(row);
    } catch (error) {
      // Thrown in here it would end the connection.
      failure = { error };
    }
  };
  await responses.during(
    async ({ payload, literals }) => {
      const row = quickRow(payload, literals);
      if (row) await pass(row);
      return row !== undefined;
    },
    async () => {
      for await (const row of client.fetch(set, QUERY, { uid: true })) await pass(row);
    },
  );
  if (failure) throw failure.error;
}
