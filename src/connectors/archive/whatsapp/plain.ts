/** Direction marks and joiners: they are invisible, and phones insert them anywhere. */
const MARKS = /[\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF\u061C]/g;
const LEADING_MARKS = /^[\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF\u061C]+/;
const ANY_SPACES = /[\p{Zs}\t]+/gu;

/** The zeros of all scripts in which phones write numbers. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x17e0, 0x1810, 0xff10,
];

/** Removes marks and normalizes spaces. */
export function plain(text: string): string {
  return text.replaceAll(MARKS, '').replaceAll(ANY_SPACES, ' ').trim();
}

export function withoutLeadingMarks(text: string): string {
  return text.replace(LEADING_MARKS, '');
}

/** Replaces digits of any script by 0 to 9. */
export function plainDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((candidate) => code >= candidate && code < candidate + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** Letters only, in lower case: `a. m.`, `AM` and `a.m.` are the same. */
export function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{P}\p{Z}\p{C}\p{S}]/gu, '');
}
