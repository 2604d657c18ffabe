import { fold } from './tokenize.ts';

/** Matches everything but printable ASCII and white space, which folding changes in case only. */
const NOT_ASCII = /[^\t-\r\x20-\x7e]/;

/** A test of whether a text contains a folded one. Most texts need not be folded for that, which takes much longer. */
export function createTextTest(wanted: string): (text: string) => boolean {
  const hasSpace = wanted.includes(' ');
  return (text) => {
    if (!hasSpace && !NOT_ASCII.test(text)) return text.toLowerCase().includes(wanted);
    return fold(text).includes(wanted);
  };
}
