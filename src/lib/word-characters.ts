/** Kinds of the characters with two-byte codes that were met, by code. */
const [UNKNOWN, OTHER, MARK, LETTER] = [0, 1, 2, 3] as const;
type Kind = typeof OTHER | typeof MARK | typeof LETTER;
const met = new Uint8Array(0x1_00_00);

/** Whether it is a letter or a digit. */
export function isWordCharacter(code: number | undefined): boolean {
  return code !== undefined && kindOf(code) === LETTER;
}

/** Whether it is a letter, a digit or a mark on one. */
export function isWordPart(code: number): boolean {
  return kindOf(code) !== OTHER;
}

/** Whether this place is between the two halves of a character. */
export function isMiddleOfCharacter(text: string, place: number): boolean {
  return isLowSurrogate(text.charCodeAt(place)) && isHighSurrogate(text.charCodeAt(place - 1));
}

/** This place, or the start of the character that it is in the middle of. */
export function characterStart(text: string, place: number): number {
  return isMiddleOfCharacter(text, place) ? place - 1 : place;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit < 0xdc_00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc_00 && unit < 0xe0_00;
}

function kindOf(code: number): Kind {
  const known = met[code] ?? UNKNOWN;
  if (known !== UNKNOWN) return known as Kind;
  const kind = determineKind(String.fromCodePoint(code));
  if (code < met.length) met[code] = kind;
  return kind;
}

function determineKind(character: string): Kind {
  if (/[\p{L}\p{N}]/u.test(character)) return LETTER;
  return /\p{M}/u.test(character) ? MARK : OTHER;
}
