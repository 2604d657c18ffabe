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

/** Their code units, without Unicode mode, which is slower. Halves of characters count, and C0 controls are added. */
const UNITS = String.raw`\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud80d\ud82f\ud834\udb40-\udb43`;
const SUSPECT_IN_LINE = new RegExp(String.raw`[\0-\x1f${UNITS}]`);
const SUSPECT_IN_TEXT = new RegExp(String.raw`[\0-\x08\x0b-\x1f${UNITS}]`);

interface HiddenCharacters {
  /**
   * Each of them replaced; those that belong to an emoji or to the spelling of a word are kept. `wordBreak` is for a
   * zero-width space where words have no other space between them.
   */
  replace(text: string, replacement: (character: string) => string, wordBreak: string): string;
}

/** On one line: control characters count, line breaks included. */
export const hiddenInLine = hiddenCharacters(SUSPECT_IN_LINE);

/** In a text of several lines: line breaks and tabs do not count, unless a carriage return is alone. */
export const hiddenInText = hiddenCharacters(SUSPECT_IN_TEXT, String.raw`[\t\n]|\r\n`);

/** Where control characters are data, because no terminal reads them. */
export const hiddenInData = hiddenCharacters(SUSPECT_IN_TEXT, String.raw`\p{Cc}`);

function hiddenCharacters(suspect: RegExp, kept?: string): HiddenCharacters {
  let pattern: RegExp | undefined;
  return {
    replace(text, replacement, wordBreak) {
      if (!suspect.test(text) && text.isWellFormed()) return text;
      // Made late: most processes never need it.
      pattern ??= patternOf(kept);
      return text.replace(pattern, (match: string, gap: string | undefined, hidden: string | undefined) => {
        if (hidden !== undefined) return replacement(hidden);
        return gap === undefined ? match : wordBreak;
      });
    },
  };
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

function lettersOf(scripts: readonly string[]): string {
  return String.raw`[[\p{L}\p{M}]&&[${scripts.map((script) => `\\p{scx=${script}}`).join('')}]]`;
}
