import type { FetchedRow } from './fetch-rows.ts';

/** `* 1 FETCH (`, then items, then `)`. */
const BEGINNING = /^\* \d{1,10} FETCH \(/;
const MAX_BEGINNING = 20;
/** One item; its groups are the name and its value in the form that the name has. */
const ITEM =
  /(?:(UID|RFC822\.SIZE|X-GM-MSGID|X-GM-THRID) (\d{1,20})|(FLAGS) \(([^()"{}]*)\)|(INTERNALDATE) "([^"\\]*)"|(MODSEQ|EMAILID|THREADID) \(([\w-]{0,255})\)|(BODY\[\]<0>) (\{\d+\}\r\n))( |\)$)/y;
/** What servers send of each email whose flags have changed. */
const FLAGS_ROW = /^\* \d{1,10} FETCH \(UID (\d{1,10}) FLAGS \(([^()"{}]*)\)(?: MODSEQ \(\d{1,20}\))?\)$/;
/** Longer ones are none of these. */
const MAX_LENGTH = 4_096;

/**
 * Reads the answer to a FETCH of facts and the beginning of an email, if it has the usual form: `payload` without the contents of
 * strings, which are in `literals`.
 */
export function quickRow(payload: Buffer, literals: readonly Buffer[]): FetchedRow | undefined {
  const row = literals.length === 1 ? readRow(payload, literals) : undefined;
  return row && row.uid > 0 && row.source ? row : undefined;
}

/** Whether it tells something about one email. */
export function isRow(payload: Buffer): boolean {
  return BEGINNING.test(payload.toString('latin1', 0, MAX_BEGINNING));
}

/** Reads the flags of an email, asked for or not; its UID is zero where the server does not tell it. */
export function quickFlags(line: Buffer): Required<Pick<FetchedRow, 'uid' | 'flags'>> | undefined {
  const usual = line.length > MAX_LENGTH ? null : FLAGS_ROW.exec(line.toString('latin1'));
  if (usual) return { uid: Number(usual[1]), flags: flagsIn(usual[2] ?? '') };
  const { uid, flags } = readRow(line, []) ?? { uid: 0 };
  return flags && { uid, flags };
}

function readRow(payload: Buffer, literals: readonly Buffer[]): FetchedRow | undefined {
  if (payload.length > MAX_LENGTH) return undefined;
  const text = payload.toString('latin1');
  const beginning = BEGINNING.exec(text);
  if (!beginning) return undefined;
  const row: FetchedRow = { uid: 0 };
  let at = beginning[0].length;
  for (;;) {
    ITEM.lastIndex = at;
    const item = ITEM.exec(text);
    if (!item) return undefined;
    put(row, item, literals);
    at = ITEM.lastIndex;
    if (item[11] === ')') return row;
  }
}

function put(row: FetchedRow, item: RegExpExecArray, [literal]: readonly Buffer[]): void {
  const [, numeric, number = '', flags, list = '', date, time = '', identity, id = '', body] = item;
  if (numeric === 'UID') row.uid = Number(number);
  else if (numeric === 'RFC822.SIZE') row.size = Number(number);
  else if (numeric === 'X-GM-MSGID') row.emailId = number;
  else if (numeric === 'X-GM-THRID') row.threadId = number;
  else if (flags) row.flags = flagsIn(list);
  else if (date) row.internalDate = new Date(time);
  else if (identity === 'EMAILID') row.emailId = id;
  else if (identity === 'THREADID') row.threadId = id;
  else if (body) row.source = literal;
}

function flagsIn(list: string): Set<string> {
  return new Set(list === '' ? [] : list.split(' '));
}
