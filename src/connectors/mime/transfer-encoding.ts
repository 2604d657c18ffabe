/** Content-Transfer-Encoding (RFC 2045 section 6): to text, and the size of what is not decoded. */
import { decodeQuotedPrintable } from './quoted-printable.ts';
import { decodeUuencode, uuencodedSize } from './uuencode.ts';

const [NEWLINE, RETURN, SPACE, EQUALS] = [0x0a, 0x0d, 0x20, 0x3d];

export type Encoding = 'base64' | 'quoted-printable' | 'uuencode' | 'none';

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['base64', 'base64'],
  ['b', 'base64'],
  ['quoted-printable', 'quoted-printable'],
  ['quotedprintable', 'quoted-printable'],
  ['q', 'quoted-printable'],
  ['x-uuencode', 'uuencode'],
  ['uuencode', 'uuencode'],
  ['x-uue', 'uuencode'],
  ['uue', 'uuencode'],
  ['7bit', 'none'],
  ['8bit', 'none'],
  ['binary', 'none'],
  ['', 'none'],
]);

/** Undefined for an encoding that nobody knows. */
export function encodingOf(header: string): Encoding | undefined {
  return ENCODINGS.get(header) ?? ENCODINGS.get(header.toLowerCase().replaceAll(/^[\s"]+|[\s;"].*$/gs, ''));
}

/** The content. It may share memory with the argument, or with what the next call returns. */
export function decodeTransfer(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'base64') return isProbablyBase64(bytes) ? decodeBase64(bytes.toString('latin1')) : bytes;
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(bytes);
  return encoding === 'uuencode' ? decodeUuencode(bytes) : bytes;
}

/** Text is sometimes labelled as base64: it has spaces within its lines. */
function isProbablyBase64(bytes: Buffer): boolean {
  const beginning = bytes.toString('latin1', 0, 400).trim();
  return !/[^\s!-~]|[^\s=][ \t]+[^\s=]{1,30}[ \t]+[^\s=]/.test(beginning);
}

/** Padding may be in the middle, where a program has joined encoded pieces. */
function decodeBase64(text: string): Buffer {
  const padding = text.indexOf('=');
  if (padding === -1 || !/[^\s=]/.test(text.slice(padding, padding + 1_000))) return Buffer.from(text, 'base64');
  return Buffer.concat(text.split(/=+/).map((piece) => Buffer.from(piece, 'base64')));
}

/** The size of the content, without decoding it. */
export function decodedSize(bytes: Buffer, encoding: Encoding): number {
  if (encoding === 'base64') return Math.floor((base64Characters(bytes) * 3) / 4);
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(bytes).length;
  return encoding === 'uuencode' ? uuencodedSize(bytes) : bytes.length;
}

/** Nearly all programs write lines of one length: then only the line breaks are looked at. */
function base64Characters(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && isOutside(bytes[end - 1] as number)) end -= 1;
  const lineLength = bytes.indexOf(NEWLINE) + 1;
  if (lineLength === 0 || lineLength > end) return end;
  const breakLength = bytes[lineLength - 2] === RETURN ? 2 : 1;
  let at = lineLength - 1;
  while (at < end && bytes[at] === NEWLINE) at += lineLength;
  const lines = (at + 1) / lineLength - 1;
  if (at < end) return countCharacters(bytes, end);
  return end - lines * breakLength;
}

function countCharacters(bytes: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (!isOutside(bytes[at] as number)) count += 1;
  return count;
}

/** Blanks, line breaks and padding. */
function isOutside(byte: number): boolean {
  return byte <= SPACE || byte === EQUALS;
}
