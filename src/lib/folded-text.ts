/** A text without case, accents, invisible characters and skin tones, as messages are searched; its white space is as it was. */
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

/** By code, for characters of two bytes that were met and become one code: that code. Zero for all others. */
const singles = new Uint16Array(0x1_00_00);
/** Of characters that become longer or shorter, or are beyond two bytes; not of all that there are. */
const others = new Map<number, string>();
const MAX_OTHERS = 20_000;

let codes = new Uint16Array(0);
let offsets = new Uint32Array(0);

/** Fills `codes` and `offsets`; returns how many codes there are. */
function foldInto(text: string): number {
  grow(text.length + 1);
  // Variables of the module would be read again for each character.
  let [folded, places] = [codes, offsets];
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const single = singles[text.charCodeAt(index)] ?? 0;
    if (single !== 0) {
      folded[length] = single;
      places[length] = index;
      length += 1;
      continue;
    }
    const point = text.codePointAt(index) ?? 0;
    const becomes = foldedCharacter(point);
    grow(length + becomes.length + text.length - index);
    [folded, places] = [codes, offsets];
    for (let at = 0; at < becomes.length; at += 1) {
      folded[length] = becomes.charCodeAt(at);
      places[length] = index;
      length += 1;
    }
    if (point > 0xff_ff) index += 1;
  }
  places[length] = text.length;
  return length;
}

/** Makes room for so many codes. */
function grow(length: number): void {
  if (length <= codes.length) return;
  const [oldCodes, oldOffsets] = [codes, offsets];
  codes = new Uint16Array(length * 2);
  offsets = new Uint32Array(length * 2);
  codes.set(oldCodes);
  offsets.set(oldOffsets);
}

const UNCOUNTED = /[\p{M}\u0640\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/gu;

function foldedCharacter(point: number): string {
  const known = others.get(point);
  if (known !== undefined) return known;
  const plain = String.fromCodePoint(point).normalize('NFKD').replace(UNCOUNTED, '');
  // Some letters have a case only together: the upper case of ß is SS.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase();
  if (folded.length === 1 && point > 0 && point <= 0xff_ff && !isSurrogate(point)) {
    singles[point] = folded.charCodeAt(0);
  } else if (others.size < MAX_OTHERS) others.set(point, folded);
  return folded;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit < 0xe0_00;
}
