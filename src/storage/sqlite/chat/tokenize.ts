/**
 * How text becomes what is searched. Two texts that fold to the same are the same to whoever looks for them: case,
 * accents, the width of characters and the tone of an emoji do not count. What carries meaning stays: the vowel signs of
 * Indic scripts and of Thai, the voicing of kana (が is not か), ß.
 */
export function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  return text
    .toWellFormed()
    .normalize('NFKD')
    .replace(patterns().uncounted, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFC')
    .replace(/\s+/g, ' ');
}

/** Text as the index has it. */
export interface TokenizedText {
  /** In order: words, single characters of scripts that put no spaces between words, symbols. */
  tokens: string[];
  /** Those of them that are words of letters and digits. */
  terms: string[];
}

/** Cuts what `fold` gave. Whatever is neither letter, digit, mark nor symbol only separates. */
export function tokenize(folded: string): TokenizedText {
  const tokens: string[] = [];
  const terms: string[] = [];
  const plain = isPlain(folded);
  for (const piece of folded.match(plain ? PLAIN_PIECES : patterns().pieces) ?? []) {
    const kind = plain ? plainKindOf(piece) : kindOf(piece);
    if (kind === 'symbol') {
      tokens.push(symbolToken(piece));
    } else if (kind === 'character') {
      tokens.push(piece);
    } else {
      for (const word of piece.length <= LONGEST_TERM ? [piece] : overlapping(piece)) {
        tokens.push(word);
        terms.push(word);
      }
    }
  }
  return { tokens, terms };
}

/** A part of a text, as what it must be in the words of whichever text it is in. */
export interface FragmentTokens {
  /** The part is a stretch of letters and digits: it is within one word. */
  within?: string;
  /** A word ends so, where the part begins within one. */
  head?: string;
  /** Tokens that are there whole, one after the other. */
  inner: string[];
  /** A word begins so, where the part ends within one. */
  tail?: string;
}

export function tokenizeFragment(folded: string): FragmentTokens {
  const pattern = patterns();
  const pieces = folded.match(pattern.pieces) ?? [];
  const opensWithin = pattern.wordAtStart.test(folded);
  const endsWithin = pattern.wordAtEnd.test(folded);
  if (pieces.length === 1 && opensWithin && endsWithin) return { within: beginning(folded), inner: [] };
  const head = opensWithin ? pieces.shift() : undefined;
  const tail = endsWithin ? pieces.pop() : undefined;
  return {
    inner: pieces.flatMap((piece) => tokenize(piece).tokens),
    ...(head === undefined ? {} : { head: wholeCharacters(head.slice(-LONGEST_PART)) }),
    ...(tail === undefined ? {} : { tail: beginning(tail) }),
  };
}

function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

function beginning(word: string): string {
  return wholeCharacters(word.slice(0, LONGEST_PART));
}

/** The longest word that is kept whole, and the most of a part that is surely within one piece of a longer one. */
const LONGEST_TERM = 256;
const LONGEST_PART = 64;

/**
 * Runs without an end, such as encoded files, are kept in pieces that overlap, so that a part is in one of them as a
 * whole.
 */
function overlapping(word: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start + LONGEST_PART < word.length; start += LONGEST_TERM - LONGEST_PART) {
    pieces.push(wholeCharacters(word.slice(start, start + LONGEST_TERM)));
  }
  return pieces;
}

/** Without the halves of characters at its ends. */
function wholeCharacters(slice: string): string {
  return slice.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

/** No word has an underscore: what begins with one is ours. */
function symbolToken(symbol: string): string {
  return `_${symbol.codePointAt(0)?.toString(16)}`;
}

function kindOf(piece: string): 'word' | 'character' | 'symbol' {
  if (patterns().symbol.test(piece)) return 'symbol';
  return patterns().character.test(piece) ? 'character' : 'word';
}

/** Of what `PLAIN_PIECES` finds: letters and digits stand on either side of symbols in ASCII. */
function plainKindOf(piece: string): 'word' | 'symbol' {
  const first = piece.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || (first >= 0x61 && first <= 0x7a) ? 'word' : 'symbol';
}

/** Anything but printable ASCII without two spaces in a row, which is most of what is said, and much faster. */
const NOT_PLAIN = /[^\x20-\x7e]| {2}/;
const PLAIN_PIECES = /[a-z0-9]+|[$+<=>^`|~]/g;

const WORDY = '[\\p{L}\\p{M}\\p{N}]';
/** Scripts that are written without spaces, and Hangul, whose words carry their endings with them. */
const UNSPACED = `[${['Hani', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr'].map((script) => `\\p{scx=${script}}`).join('')}]`;
const SYMBOLS = '[\\p{S}\\p{Co}]';
const CHARACTERS = `[${UNSPACED}&&${WORDY}]`;
const LETTERS = `[${WORDY}--${UNSPACED}]`;

type Patterns = ReturnType<typeof makePatterns>;
let made: Patterns | undefined;

/** For what is not plain. They take some milliseconds to make, which no start should spend. */
function patterns(): Patterns {
  made ??= makePatterns();
  return made;
}

function makePatterns() {
  return {
    /** Accents and vowel points; what is not seen at all; tones of skin. */
    uncounted: new RegExp(
      '[\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a' +
        '\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u1ab0-\\u1aff\\u1dc0-\\u1dff' +
        '\\u20d0-\\u20f0\\ufe20-\\ufe2f\\p{Default_Ignorable_Code_Point}\\p{Emoji_Modifier}]',
      'gv',
    ),
    symbol: new RegExp(`^${SYMBOLS}`, 'v'),
    character: new RegExp(`^${CHARACTERS}`, 'v'),
    pieces: new RegExp(`${SYMBOLS}|${CHARACTERS}|${LETTERS}+`, 'gv'),
    wordAtStart: new RegExp(`^${LETTERS}`, 'v'),
    wordAtEnd: new RegExp(`${LETTERS}$`, 'v'),
  };
}
