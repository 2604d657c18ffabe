import { isRecord } from '../../lib/is-record.ts';
import type { Letter } from '../letter.ts';

const NEWLINE = 10;
const RETURN = 13;
/** The beginning of every line that this program or the original writes. It cannot occur inside a JSON string. */
const OPENING = '{"id":"';
/** The end of such a line. Nothing else follows `read_flag`, so the flag is the letter's. */
const READ_ENDING = /"read_flag":true ?(?:,"created_at":(?:"[^"\\]*"|null))?\}$/;
const UNREAD_ENDING = /"read_flag":false(?:,"created_at":(?:"[^"\\]*"|null))?\}$/;
const LONGEST_ENDING = 128;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** One line of a mailbox, byte for byte as the original program writes it. */
export function encodeLine(letter: Letter): string {
  const { id, from, to, message, isRead, createdAt } = letter;
  const text = JSON.stringify({
    id,
    from,
    to,
    message,
    read_flag: isRead,
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
  });
  return `${escapeLikeGo(text)}\n`;
}

/** JSON as Go writes it. */
export function escapeLikeGo(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, escaped);
}

/** RFC 3339 without trailing zeros, as Go writes it. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z');
}

/** The letter on a line without its newline; undefined for anything else. */
export function parseLine(bytes: Uint8Array): Letter | undefined {
  const fields = parseFields(asBuffer(bytes).toString('utf8'));
  if (fields === undefined) return undefined;
  const { id, from, to, message, read_flag: isRead = false, created_at: createdAt } = fields;
  if (typeof id !== 'string' || id === '' || typeof from !== 'string') return undefined;
  if (typeof to !== 'string' || typeof message !== 'string') return undefined;
  if (typeof isRead !== 'boolean' && isRead !== null) return undefined;
  const letter = { id, from, to, message, isRead: isRead ?? false };
  return typeof createdAt === 'string' && RFC_3339.test(createdAt) ? { ...letter, createdAt } : letter;
}

/** An invalid time keeps the original program from reading the whole mailbox. */
export function hasBrokenTime(bytes: Uint8Array, { createdAt }: Letter): boolean {
  return createdAt === undefined && /"created_at"\s*:(?!\s*null)/i.test(asBuffer(bytes).toString('latin1'));
}

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === RETURN);
}

/** Without parsing. False proves nothing. */
export function isPlainlyRead(bytes: Uint8Array): boolean {
  return READ_ENDING.test(endingOf(bytes));
}

/** Offset of the five bytes `false` of an unread letter; undefined where the line has another form. */
export function flagOffset(bytes: Uint8Array): number | undefined {
  const ending = endingOf(bytes);
  const found = UNREAD_ENDING.exec(ending);
  return found ? bytes.length - (trailing(bytes) + ending.length - found.index) + '"read_flag":'.length : undefined;
}

/** Letters that a crash joined to a fragment or to each other without a newline. Calls `onFragment` for each fragment. */
export function* lettersWithin(
  bytes: Uint8Array,
  onFragment: () => void = () => {},
): Generator<{ start: number; end: number }> {
  const buffer = asBuffer(bytes);
  for (let start = buffer.indexOf(OPENING); start !== -1; ) {
    const next = buffer.indexOf(OPENING, start + 1);
    const end = trimmedEnd(buffer, start, next === -1 ? buffer.length : next);
    if (parseLine(buffer.subarray(start, end))) yield { start, end };
    else onFragment();
    start = next;
  }
}

export function beginsWithId(bytes: Uint8Array, id: string): boolean {
  const start = `${OPENING}${JSON.stringify(id).slice(1)}`;
  return asBuffer(bytes).subarray(0, Buffer.byteLength(start)).equals(Buffer.from(start));
}

/** Without parsing, for lines of the usual form. */
export function plainIdOf(bytes: Uint8Array): string | undefined {
  return /^\{"id":"([^"\\]+)"/.exec(asBuffer(bytes).toString('latin1', 0, LONGEST_ENDING))?.[1];
}

/** Keys are matched as Go does: case-insensitively, and the last one wins. */
export function parseFields(text: string): Record<string, unknown> | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(parsed)) return undefined;
  return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key.toLowerCase(), value]));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function endingOf(bytes: Uint8Array): string {
  const end = bytes.length - trailing(bytes);
  return asBuffer(bytes).toString('latin1', Math.max(0, end - LONGEST_ENDING), end);
}

function trailing(bytes: Uint8Array): number {
  return bytes.at(-1) === RETURN ? 1 : 0;
}

function trimmedEnd(buffer: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && [0, 32, NEWLINE, RETURN].includes(buffer[last - 1] ?? -1)) last -= 1;
  return last;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
