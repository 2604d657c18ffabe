/** More bytes are not looked at. */
const MAX_BYTES = 64 * 1024;
/** Fewer are no evidence. */
const MIN_HIGH_BYTES = 30;
const MIN_PAIRS = 12;

/**
 * What bytes that are no UTF-8 show themselves: a character set, that it is unknown (`few`: they are too few to say so for
 * sure), or nothing but a few accents.
 */
export type Evidence = { kind: 'certain'; charset: string } | { kind: 'unknown' | 'few' | 'western' };

/** The character set that escape sequences announce (RFC 1468, RFC 1557). */
export function escapedCharset(text: string): string | undefined {
  if (/\x1b\$(?:[@B]|\([@BD])/.test(text)) return 'iso-2022-jp';
  return text.includes('\x1b$)C') ? 'iso-2022-kr' : undefined;
}

/**
 * In Western languages bytes above 127 stand alone among letters; in others they follow each other. Which of the others it
 * is, is said only where its most frequent letters show it.
 */
export function evidenceIn(bytes: Buffer): Evidence {
  const text = bytes.toString('latin1', 0, MAX_BYTES);
  const runs = text.match(/[\x80-\xff]+/g) ?? [];
  const high = runs.join('');
  const inLongRuns = runs.reduce((sum, run) => sum + (isLong(run) ? run.length : 0), 0);
  const japanese = japaneseIn(text, bytes);
  if (japanese !== undefined) return { kind: 'certain', charset: japanese };
  if (high.length < MIN_HIGH_BYTES) return { kind: inLongRuns > high.length / 2 ? 'few' : 'western' };
  if (inLongRuns < high.length * 0.6) return { kind: 'western' };
  const charset = cyrillicIn(high) ?? koreanIn(runs);
  return charset === undefined ? { kind: 'unknown' } : { kind: 'certain', charset };
}

/** Not one that repeats a character: `jäää`, or a line of them. */
function isLong(run: string): boolean {
  return run.length >= 3 && [...run].some((character) => character !== run[0]);
}

/** Nearly all small letters are in one half of the upper columns, and half of them are the six most frequent ones. */
function cyrillicIn(high: string): string | undefined {
  if (share(high, /[\xc0-\xdf\xa3]/g) > 0.85 && share(high, /[\xcf\xc5\xc1\xc9\xce\xd4]/g) > 0.38) return 'koi8-r';
  if (share(high, /[\xe0-\xff\xb8]/g) > 0.85 && share(high, /[\xee\xe5\xe0\xe8\xed\xf2]/g) > 0.38)
    return 'windows-1251';
  return undefined;
}

/** Japanese is written with Hiragana, which no other language has. */
function japaneseIn(text: string, bytes: Buffer): string | undefined {
  const euc = text.match(/\xa4[\xa1-\xf3]/g)?.length ?? 0;
  const shifted = text.match(/\x82[\x9f-\xf1]/g)?.length ?? 0;
  const high = text.match(/[\x80-\xff]/g)?.length ?? 0;
  if (euc >= MIN_PAIRS && euc * 2 > high * 0.2 && isValid(bytes, 'euc-jp')) return 'euc-jp';
  return shifted >= MIN_PAIRS && shifted * 2 > high * 0.2 && isValid(bytes, 'shift_jis') ? 'shift_jis' : undefined;
}

/** Hangul begins with bytes from B0 to C8; Chinese characters begin with these only in half of the cases. */
function koreanIn(runs: readonly string[]): string | undefined {
  if (runs.some(({ length }) => length % 2 === 1)) return undefined;
  const firsts = runs.flatMap((run) => [...run].filter((_, index) => index % 2 === 0));
  return share(firsts.join(''), /[\xb0-\xc8]/g) > 0.95 ? 'euc-kr' : undefined;
}

function share(text: string, letters: RegExp): number {
  return (text.match(letters)?.length ?? 0) / text.length;
}

function isValid(bytes: Buffer, charset: string): boolean {
  return !new TextDecoder(charset).decode(bytes).includes('\ufffd');
}
