import { createHash } from 'node:crypto';

/** Clients accept at most so many characters, of these: letters, digits, `_` and `-`. */
const MAX_LENGTH = 64;
const SEPARATOR = '__';
const HASH_LENGTH = 8;

/**
 * The name under which an entry of a server is offered: `github__create_issue`. A name that is too long, or has other
 * characters, is shortened and ends in a hash of the whole, so that it is always the same and never that of another.
 */
export function publicName(server: string, name: string): string {
  const plain = `${server}${SEPARATOR}${name.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  const whole = `${server}${SEPARATOR}${name}`;
  if (plain === whole && plain.length <= MAX_LENGTH) return plain;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
