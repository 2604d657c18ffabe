import { isUtf8 } from 'node:buffer';
import { decodeCharset } from '../mime/charset.ts';

/** A piece of a file that should be UTF-8; where it is not, in the character set that it seems to be in. */
export function entryText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeCharset(bytes, '');
}
