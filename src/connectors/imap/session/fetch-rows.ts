import type { FetchMessageObject, ImapFlow } from 'imapflow';
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

/** What imapflow calls for every answer of the server, with the strings in it apart. Not part of its interface. */
interface Internals {
  handleResponse?(data: { payload: Buffer; literals: readonly Buffer[] }): Promise<boolean>;
}

const QUERY = {
  uid: true,
  flags: true,
  internalDate: true,
  size: true,
  threadId: true,
  source: { start: 0, maxLength: MAX_EMAIL_BYTES },
};

/**
 * Rows one after the other; the server waits while `take` is running. imapflow parses, formats for a log, and parses again, which
 * takes longer than everything else: rows of the usual form are read before it sees them, all others by it.
 */
export async function fetchRows(
  client: ImapFlow,
  set: string,
  take: (row: FetchedRow) => Promise<void>,
): Promise<void> {
  const internals = client as unknown as Internals;
  const usual = internals.handleResponse?.bind(client);
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
  if (usual) {
    internals.handleResponse = async (data) => {
      const row = quickRow(data.payload, data.literals);
      if (!row) return usual(data);
      await pass(row);
      return true;
    };
  }
  try {
    for await (const row of client.fetch(set, QUERY, { uid: true })) await pass(row);
  } finally {
    // The method of the class is visible again.
    if (usual) delete internals.handleResponse;
  }
  if (failure) throw failure.error;
}
