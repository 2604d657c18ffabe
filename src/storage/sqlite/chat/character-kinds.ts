/** What a character is in the index; anything else separates words. */
export const [SEPARATOR, LETTER, CHARACTER, SYMBOL] = [1, 2, 3, 4] as const;
type CharacterKind = typeof SEPARATOR | typeof LETTER | typeof CHARACTER | typeof SYMBOL;

const WORDY = '[\\p{L}\\p{M}\\p{N}]';
/** Scripts written without spaces, and Hangul, where particles are attached to words. */
const UNSPACED = `[${['Hani', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr'].map((script) => `\\p{scx=${script}}`).join('')}]`;
const SYMBOLS = '[\\p{S}\\p{Co}]';
const CHARACTERS = `[${UNSPACED}&&${WORDY}]`;
const LETTERS = `[${WORDY}--${UNSPACED}]`;

/** Kinds of the characters with two-byte codes that were met, by code; zero for all others. */
const met = new Uint8Array(0x1_00_00);

/** Most texts have few different characters: asking a regular expression for each would take several times as long. */
export function kindOf(code: number): CharacterKind {
  const known = met[code] as CharacterKind | 0 | undefined;
  if (known) return known;
  const kind = determineKind(String.fromCodePoint(code));
  if (code < met.length) met[code] = kind;
  return kind;
}

type Patterns = ReturnType<typeof makePatterns>;
let made: Patterns | undefined;

/** Compiled on first use: compiling takes some milliseconds, which the start of the program should not spend. */
function determineKind(character: string): CharacterKind {
  made ??= makePatterns();
  if (made.letter.test(character)) return LETTER;
  if (made.character.test(character)) return CHARACTER;
  return made.symbol.test(character) ? SYMBOL : SEPARATOR;
}

function makePatterns() {
  return {
    letter: new RegExp(LETTERS, 'v'),
    character: new RegExp(CHARACTERS, 'v'),
    symbol: new RegExp(SYMBOLS, 'v'),
  };
}
