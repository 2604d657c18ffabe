/**
 * Normalizes text for search. Case, accents, character width and emoji skin tones are ignored. Marks that carry
 * meaning are kept: vowel signs of Indic scripts and Thai, the voicing of kana (が is not か).
 */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  if (!NOT_ASCII.test(text)) return text.toLowerCase().replace(SPACES, ' ');
  return foldEach(text) ?? foldTogether(text);
}

/** Any text, by the rules of Unicode. */
export function foldTogether(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFKD')
      .replace(uncounted(), '')
      .toLowerCase()
      // Some letters have a case only together: the upper case of ß is SS.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFC')
      .replace(SPACES, ' ')
  );
}

/** By code, for those of two bytes: one of these, or the code that the character becomes, after these. */
const [UNKNOWN, LONGER, KNOWN] = [0, 1, 2] as const;
let known: Uint32Array | undefined;
/** Of characters that become longer or shorter, or are beyond two bytes. */
const longer = new Map<number, string | undefined>();
const MAX_LONGER = 20_000;

const SPACE = 0x20;
/** Room for characters that become longer: German has many. */
const [ROOM, LONGEST] = [1.125, 32];
let codes = new Uint16Array(0);

/**
 * The same, character by character, which takes a fraction of the time. Undefined if the text has characters that depend on those
 * beside them, or many that become longer.
 */
function foldEach(text: string): string | undefined {
  known ??= new Uint32Array(0x1_00_00);
  const capacity = Math.ceil(text.length * ROOM) + LONGEST;
  if (codes.length < capacity) codes = new Uint16Array(capacity * 2);
  const folded = codes;
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    let entry = known[unit] ?? UNKNOWN;
    if (entry === UNKNOWN) {
      entry = entryOf(unit);
      known[unit] = entry;
    }
    if (entry !== LONGER) {
      const code = entry - KNOWN;
      if (code === SPACE && length > 0 && folded[length - 1] === SPACE) continue;
      folded[length] = code;
      length += 1;
    } else {
      const point = text.codePointAt(index) ?? 0;
      if (point > 0xff_ff) index += 1;
      const becomes = foldedCharacter(point);
      if (becomes === undefined || length + becomes.length + text.length - index > capacity) return undefined;
      for (let at = 0; at < becomes.length; at += 1) folded[length + at] = becomes.charCodeAt(at);
      length += becomes.length;
    }
  }
  return Buffer.from(folded.buffer, 0, length * 2).toString('utf16le');
}

function entryOf(unit: number): number {
  const becomes = isSurrogate(unit) ? undefined : foldedCharacter(unit);
  return becomes?.length === 1 ? becomes.charCodeAt(0) + KNOWN : LONGER;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit < 0xe0_00;
}

/** Undefined if it depends on the characters beside it. */
function foldedCharacter(point: number): string | undefined {
  if (longer.has(point)) return longer.get(point);
  const character = String.fromCodePoint(point);
  const folded = foldTogether(character);
  const becomes = DEPENDENT.test(folded) || DEPENDENT.test(character.replace(uncounted(), '')) ? undefined : folded;
  if (longer.size < MAX_LONGER && (becomes?.length !== 1 || point > 0xff_ff)) longer.set(point, becomes);
  return becomes;
}

/** Marks are ordered and joined with letters, parts of Hangul with each other, and spaces with spaces. */
const DEPENDENT = /\p{M}|[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|.\s|\s./u;

function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

/**
 * Matches everything that is not printable ASCII, and double spaces. Most texts have neither and take a much faster
 * path.
 */
const NOT_PLAIN = /[^\x20-\x7e]| {2}/;
/** Matches everything but printable ASCII and white space. */
const NOT_ASCII = /[^\t-\r\x20-\x7e]/;
/** All white space but single spaces, which are most of it. */
const SPACES = /[^\S ]\s*| \s+/g;

let made: RegExp | undefined;

/** Accents, vowel points, what only stretches a word in Arabic, invisible characters and skin tones. Compiled on first use, which takes some milliseconds. */
function uncounted(): RegExp {
  made ??= new RegExp(
    '[\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a' +
      '\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u1ab0-\\u1aff\\u1dc0-\\u1dff' +
      '\\u20d0-\\u20f0\\ufe20-\\ufe2f\\p{Default_Ignorable_Code_Point}\\p{Emoji_Modifier}]',
    'gv',
  );
  return made;
}
