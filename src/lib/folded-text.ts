/** A text without case and accents. */
export interface FoldedText {
  text: string;
  /** The offset in the original of an offset in `text`. */
  originalOf(offset: number): number;
}

export function fold(text: string): string {
  return foldWithOffsets(text).text;
}

/** Character by character. The result is valid until the next call. */
export function foldWithOffsets(text: string): FoldedText {
  // Each character of ASCII is its own folded form.
  if (!NOT_ASCII.test(text)) return { text: text.toLowerCase(), originalOf: (offset) => offset };
  const length = foldInto(text);
  const folded = Buffer.from(codes.buffer, 0, length * 2).toString('utf16le');
  return { text: folded, originalOf: (offset) => offsets[offset] ?? text.length };
}

export const NOT_ASCII = /[^\x00-\x7f]/;

/** By code, for characters of two bytes that were met: one of these, or the code that the character becomes, after these. */
const [UNKNOWN, OTHER, KNOWN] = [0, 1, 2] as const;
const met = new Uint32Array(0x1_00_00);
/** Of characters that become longer or shorter, or are beyond two bytes; not of all that there are. */
const others = new Map<number, string>();
const MAX_OTHERS = 20_000;

/** What one character becomes at most. */
const LONGEST = 32;
let codes = new Uint16Array(0);
let offsets = new Uint32Array(0);

/** Fills `codes` and `offsets`; returns how many codes there are. */
function foldInto(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (length + LONGEST >= codes.length) grow(length + (text.length - index) * 2);
    const unit = text.charCodeAt(index);
    let entry = met[unit] ?? UNKNOWN;
    if (entry === UNKNOWN) {
      entry = entryOf(unit);
      met[unit] = entry;
    }
    if (entry !== OTHER) {
      codes[length] = entry - KNOWN;
      offsets[length] = index;
      length += 1;
      continue;
    }
    const point = text.codePointAt(index) ?? 0;
    const becomes = foldedCharacter(point);
    for (let at = 0; at < becomes.length; at += 1) {
      codes[length] = becomes.charCodeAt(at);
      offsets[length] = index;
      length += 1;
    }
    if (point > 0xff_ff) index += 1;
  }
  offsets[length] = text.length;
  return length;
}

function grow(length: number): void {
  const capacity = length + LONGEST * 2;
  const [oldCodes, oldOffsets] = [codes, offsets];
  codes = new Uint16Array(capacity);
  offsets = new Uint32Array(capacity);
  codes.set(oldCodes);
  offsets.set(oldOffsets);
}

function entryOf(unit: number): number {
  if (unit >= 0xd8_00 && unit < 0xe0_00) return OTHER;
  const becomes = foldedCharacter(unit);
  return becomes.length === 1 ? becomes.charCodeAt(0) + KNOWN : OTHER;
}

function foldedCharacter(point: number): string {
  const known = others.get(point);
  if (known !== undefined) return known;
  const plain = String.fromCodePoint(point).normalize('NFKD').replace(/\p{M}/gu, '');
  // Some letters have a case only together: the upper case of ß is SS.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase();
  if (others.size < MAX_OTHERS) others.set(point, folded);
  return folded;
}
