import { randomHex } from '../../lib/chance.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const LENGTH = 8;
/** Above the last whole multiple of the alphabet's length some characters would be more likely. */
const FAIR = 256 - (256 % ALPHABET.length);

export function newLetterId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const value = Number.parseInt(randomHex(2), 16);
    if (value < FAIR) id += ALPHABET[value % ALPHABET.length];
  }
  return id;
}
