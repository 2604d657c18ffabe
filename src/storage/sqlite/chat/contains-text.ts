import { fold } from './tokenize.ts';

/** Matches everything but printable ASCII and white space, which folding changes in case only. */
const NOT_ASCII = /[^\t-\r\x20-\x7e]/;

/** A test of whether a text contains a folded one. Most texts need not be folded for that, which takes much longer. */
export function createTextTest(wanted: string): (text: string) => boolean {
  const [first = '', ...others] = wanted.split(' ');
  return (text) => {
    if (NOT_ASCII.test(text)) return fold(text).includes(wanted);
    const lower = text.toLowerCase();
    if (lower.includes(wanted)) return true;
    // Folding turns any white space into single spaces, and changes nothing else.
    if (others.length === 0 || !lower.includes(first) || !others.every((part) => lower.includes(part))) return false;
    return fold(text).includes(wanted);
  };
}
