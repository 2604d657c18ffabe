/** Characters that a reader does not see: a model reads them nevertheless, and a terminal may obey them. */

/** Controls, and what is invisible by definition: zero-width, fillers, variation selectors, direction controls, tags. */
const INVISIBLE = String.raw`\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb\u{13430}-\u{1343f}\p{Surrogate}`;

const EMOJI = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?`;

/** Scripts in which a joiner or a non-joiner changes how the letter before it is written. */
const JOINING = [
  ...['Arab', 'Syrc', 'Nkoo', 'Mong', 'Adlm', 'Rohg', 'Mand'],
  ...['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Newa', 'Limb'],
  ...['Tibt', 'Mymr', 'Khmr', 'Java', 'Bali', 'Sund', 'Lana'],
];
/** Scripts without spaces, in which a zero-width space separates words. */
const UNSPACED = ['Khmr', 'Thai', 'Laoo', 'Mymr'];

/** Ranges of the code units of those that are no controls: each two are the first and the last one. Halves of characters count. */
const UNITS =
  '\xad\xad\u034f\u034f\u061c\u061c\u115f\u1160\u17b4\u17b5\u180b\u180f\u200b\u200f\u2028\u202e\u2060\u206f\u3164\u3164' +
  '\ud80d\ud80d\ud82f\ud82f\ud834\ud834\udb40\udb43\ufe00\ufe0f\ufeff\ufeff\uffa0\uffa0\ufff0\ufffb';

/** What code units are, by unit, besides visible: line breaks and tabs, other controls, halves of characters, those above. */
const [BREAK, CONTROL, HALF, SUSPECT] = [1, 2, 4, 8] as const;
let kinds: Uint8Array | undefined;

interface HiddenCharacters {
  /**
   * Each of them replaced; those that belong to an emoji or to the spelling of a word are kept. `wordBreak` is for a
   * zero-width space where words have no other space between them.
   */
  replace(text: string, replacement: (character: string) => string, wordBreak: string): string;
}

/** On one line: control characters count, line breaks included. */
export const hiddenInLine = hiddenCharacters({ unusual: /[^\x20-\x7e]/, controls: /[\0-\x1f\x7f-\x9f]/g });

/** In a text of several lines: line breaks and tabs do not count, unless a carriage return is alone. */
export const hiddenInText = hiddenCharacters({
  unusual: /[^\t\n\x20-\x7e]/,
  controls: /(?!\r\n)[\0-\x08\x0b-\x1f\x7f-\x9f]/g,
  keeps: BREAK,
  kept: String.raw`[\t\n]|\r\n`,
});

/** Where control characters are data, because no terminal reads them. */
export const hiddenInData = hiddenCharacters({
  unusual: /[^\0-\x7f]/,
  controls: /(?!)/g,
  keeps: BREAK | CONTROL,
  kept: String.raw`\p{Cc}`,
});

interface HiddenKinds {
  /** Any character that may be hidden: most texts have none. */
  unusual: RegExp;
  /** Controls that are hidden. */
  controls: RegExp;
  /** Kinds of controls that are not, and what is not as a pattern. */
  keeps?: number;
  kept?: string;
}

function hiddenCharacters({ unusual, controls, keeps = 0, kept }: HiddenKinds): HiddenCharacters {
  let pattern: RegExp | undefined;
  return {
    replace(text, replacement, wordBreak) {
      const first = text.search(unusual);
      const found = first === -1 ? 0 : kindsIn(text, first) & ~keeps;
      if (found === 0) return text;
      // Controls are hidden whatever is beside them: they do not need the slow pattern.
      if (found < HALF || (found < SUSPECT && text.isWellFormed())) {
        return found === HALF ? text : text.replace(controls, replacement);
      }
      // Made late: most processes never need it.
      pattern ??= patternOf(kept);
      return text.replace(pattern, (match: string, gap: string | undefined, hidden: string | undefined) => {
        if (hidden !== undefined) return replacement(hidden);
        return gap === undefined ? match : wordBreak;
      });
    },
  };
}

/** All kinds of code units from here on, until one is suspect. By a table: a class of so many ranges is several times slower. */
function kindsIn(text: string, from: number): number {
  kinds ??= makeKinds();
  const known = kinds;
  let found = 0;
  for (let index = from; index < text.length; index += 1) {
    const kind = known[text.charCodeAt(index)] ?? 0;
    if (kind === 0) continue;
    found |= kind;
    if (kind === SUSPECT) break;
  }
  return found;
}

function makeKinds(): Uint8Array {
  const made = new Uint8Array(0x1_00_00);
  made.fill(CONTROL, 0, 0x20).fill(BREAK, 0x09, 0x0b).fill(CONTROL, 0x7f, 0xa0).fill(HALF, 0xd8_00, 0xe0_00);
  for (let at = 0; at < UNITS.length; at += 2) made.fill(SUSPECT, UNITS.charCodeAt(at), UNITS.charCodeAt(at + 1) + 1);
  return made;
}

/** Matches what is kept, then in its first group a word break, in its second a hidden character. */
function patternOf(kept = '(?!)'): RegExp {
  const flags = ['gbeng', 'gbsct', 'gbwls'].map(tags).join('|');
  const unspaced = lettersOf(UNSPACED);
  const alternatives = [
    kept,
    // England, Scotland and Wales; no other flag is made of tags.
    String.raw`\u{1f3f4}(?:${flags})\u{e007f}`,
    String.raw`${EMOJI}(?:\u200d${EMOJI})*`,
    String.raw`[0-9#*]\ufe0f\u20e3`,
    String.raw`(?<=${lettersOf(JOINING)})[\u200c\u200d](?![\u200c\u200d])`,
    String.raw`(?<=[\p{L}&&\p{sc=Mong}])[\u180b-\u180d\u180f]`,
    String.raw`((?<=${unspaced})\u200b(?=${unspaced}))`,
    `([${INVISIBLE}])`,
  ];
  return new RegExp(alternatives.join('|'), 'gv');
}

function tags(letters: string): string {
  return [...letters].map((letter) => `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join('');
}

/** Without vowels of Khmer that are invisible themselves. */
function lettersOf(scripts: readonly string[]): string {
  return String.raw`[[[\p{L}\p{M}]&&[${scripts.map((script) => `\\p{scx=${script}}`).join('')}]]--[\u17b4\u17b5]]`;
}
