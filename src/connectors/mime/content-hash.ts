import { hash } from 'node:crypto';
import { readHeader, unfolded } from './header-fields.ts';
import { PART_HEADERS } from './part.ts';

/** Of a longer body only the beginning and the length count: the rest of a large email is not fetched. */
const MAX_BODY = 128 * 1024;

/**
 * Names the content of an email: its body, and the headers that say how to read it. Other headers do not count, because servers
 * add some. `beginning` is the email or its first bytes, and `size` the length of the whole: the hash is the same however much
 * more than `MAX_BODY` was fetched.
 */
export function contentHash(beginning: Uint8Array, size: number): string {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength);
  const { fields, end } = readHeader(bytes, 0, bytes.length, PART_HEADERS);
  const isCut = size - end > MAX_BODY;
  const body = bytes.subarray(end, isCut ? end + MAX_BODY : endOfText(bytes, end));
  const reading = fields.map(({ name, value }) => [name, unfolded(value)]);
  return hash('sha256', JSON.stringify([reading, isCut ? size - end : null, hash('sha256', body)]), 'base64url');
}

/** Without line breaks at the end: servers for sending add one where it is missing. */
function endOfText(bytes: Buffer, start: number): number {
  let end = bytes.length;
  while (end > start && isBreak(bytes[end - 1])) end -= 1;
  return end;
}

function isBreak(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}
