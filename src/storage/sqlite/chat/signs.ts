/**
 * Signs between words are no tokens: `out-of-memory` is a phrase of three words. So that `C#`, `[you]` or `?!` are found without
 * reading every message that has the word beside the sign, a message also has a token for each sign in it. The most common ones
 * would be in every other message: they have tokens only for two of them side by side.
 */
export function signTokens(folded: string): string[] {
  /** Bits by the index of a sign: which there are, and which follow each of the common ones. */
  let single = 0;
  const following = new Uint16Array(COMMON.length);
  let hasOthers = false;
  let previous = 0;
  for (let index = 0; index < folded.length; index += 1) {
    const code = folded.charCodeAt(index);
    const place = code < 0x80 ? (PLACES[code] ?? 0) : 0;
    if (code >= 0x80) hasOthers = true;
    if (place !== 0) {
      single |= 1 << (place - 1);
      if (previous !== 0 && previous <= COMMON.length && place <= COMMON.length) {
        following[previous - 1] = (following[previous - 1] ?? 0) | (1 << (place - 1));
      }
    }
    previous = place;
  }
  if (single === 0 && !hasOthers) return [];
  const tokens = SINGLE_TOKENS.filter((token, index) => token !== '' && (single & (1 << index)) !== 0);
  PAIR_TOKENS.forEach((pairs, first) => {
    const bits = following[first] ?? 0;
    if (bits !== 0) tokens.push(...pairs.filter((token, second) => token !== '' && (bits & (1 << second)) !== 0));
  });
  return hasOthers ? [...tokens, ...otherTokens(folded)] : tokens;
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

let made: RegExp | undefined;

function otherTokens(folded: string): string[] {
  // Compiled on first use, which takes some milliseconds.
  made ??= /[\p{P}--[\x00-\x7f]]/gv;
  return [...new Set(folded.match(made) ?? [])].map((sign) => signToken(sign));
}
