/**
 * Signs between words are no tokens: `out-of-memory` is a phrase of three words. So that `C#`, `[you]` or `?!` are found without
 * reading every message that has the word beside the sign, a message also has tokens of the signs in it: of each that is rare, also
 * together with the letters beside it, and of two common ones side by side. Case is ignored.
 */
export function signTokens(folded: string): string[] {
  /** Bits by the index of a sign: which there are, and which follow each of the common ones. */
  let single = 0;
  const following = new Uint16Array(COMMON.length);
  /** Of rare signs with a letter before or after them. */
  let beside: Set<string> | undefined;
  let others: Set<number> | undefined;
  let previous = 0;
  for (let index = 0; index < folded.length; index += 1) {
    const code = folded.charCodeAt(index);
    const place = code < 0x80 ? (PLACES[code] ?? 0) : 0;
    if (code >= 0x80 && met[code] !== NO_SIGN) {
      const point = folded.codePointAt(index) ?? 0;
      others ??= new Set();
      if (isSign(point)) others.add(point);
    }
    if (place !== 0) {
      single |= 1 << (place - 1);
      if (place > COMMON.length) {
        beside ??= new Set();
        const sign = SINGLE_TOKENS[place - 1] ?? '';
        const before = letterAt(folded, index - 1);
        const after = letterAt(folded, index + 1);
        if (before !== '') beside.add(`${sign}_a${before}`);
        if (after !== '') beside.add(`${sign}_b${after}`);
      } else if (previous !== 0 && previous <= COMMON.length) {
        following[previous - 1] = (following[previous - 1] ?? 0) | (1 << (place - 1));
      }
    }
    previous = place;
  }
  if (single === 0 && !others) return [];
  const tokens = SINGLE_TOKENS.filter((token, index) => token !== '' && (single & (1 << index)) !== 0);
  PAIR_TOKENS.forEach((pairs, first) => {
    const bits = following[first] ?? 0;
    if (bits !== 0) tokens.push(...pairs.filter((token, second) => token !== '' && (bits & (1 << second)) !== 0));
  });
  if (beside) tokens.push(...beside);
  for (const point of others ?? []) tokens.push(signToken(String.fromCodePoint(point)));
  return tokens;
}

/** A letter or digit of ASCII in lower case; empty for anything else. */
function letterAt(text: string, index: number): string {
  const code = text.charCodeAt(index);
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  return isLetter ? String.fromCharCode(code >= 0x41 ? code | 0x20 : code) : '';
}

const MOST_COMMON = [...".,'-"];
const COMMON = [...MOST_COMMON, ...'!?:;"()/'];
/** Those of ASCII but symbols, such as `+`, which are tokens of their own. */
const SIGNS = [...COMMON, ...'#%&*@[\\]_{}'];

/** One more than the index of the sign with this code, zero for other characters. */
const PLACES = new Uint8Array(0x80);
for (const [index, sign] of SIGNS.entries()) PLACES[sign.charCodeAt(0)] = index + 1;

const SINGLE_TOKENS = SIGNS.map((sign) => (MOST_COMMON.includes(sign) ? '' : signToken(sign)));
/** An ellipsis is as common as a full stop. */
const PAIR_TOKENS = COMMON.map((first) =>
  COMMON.map((second) => (first + second === '..' ? '' : signToken(first, second))),
);

function signToken(...signs: string[]): string {
  return `_p${signs.map((sign) => sign.codePointAt(0)?.toString(16)).join('_')}`;
}

/** Of characters beyond ASCII with two-byte codes that were met; zero for all others. */
const met = new Uint8Array(0x1_00_00);
const [NO_SIGN, SIGN] = [1, 2];
let made: RegExp | undefined;

/** Most texts have few different characters: asking a regular expression for each takes several times as long. */
function isSign(point: number): boolean {
  if (point < met.length && met[point] !== 0) return met[point] === SIGN;
  // Compiled on first use, which takes some milliseconds.
  made ??= /\p{P}/v;
  const is = made.test(String.fromCodePoint(point));
  if (point < met.length) met[point] = is ? SIGN : NO_SIGN;
  return is;
}
