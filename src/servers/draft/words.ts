/** A word of a command line. */
export interface Word {
  text: string;
  /** How many characters are before the first that was quoted. */
  plainLength: number;
  /** It would not be an argument in a shell: `|`, `;`, `&&`, `>`, `$(…)`. */
  isOperator: boolean;
}

/** Splits a line into words as a shell does, with its quotes and backslashes; nothing is replaced. Undefined: an open quote. */
export function splitWords(line: string): readonly Word[] | undefined {
  const words: Word[] = [];
  let word: Word | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote === undefined && /\s/.test(character)) {
      if (word) words.push(word);
      word = undefined;
      continue;
    }
    word ??= { text: '', plainLength: Number.POSITIVE_INFINITY, isOperator: false };
    if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word.plainLength = Math.min(word.plainLength, word.text.length);
    } else if (character === '\\' && isEscape(line[at + 1], quote)) {
      at += 1;
      word.plainLength = Math.min(word.plainLength, word.text.length);
      word.text += line[at];
    } else {
      word.text += character;
      word.isOperator ||= quote !== "'" && isOperator(character, line[at + 1], quote);
    }
  }
  if (quote !== undefined) return undefined;
  if (word) words.push(word);
  return words;
}

function isEscape(next: string | undefined, quote: string | undefined): boolean {
  if (next === undefined || quote === "'") return false;
  return quote === undefined || /["\\$`]/.test(next);
}

/** Within double quotes only what is replaced counts. */
function isOperator(character: string, next: string | undefined, quote: string | undefined): boolean {
  if (character === '`') return true;
  if (character === '$') return next === '(';
  return quote === undefined && /[|;&<>]/.test(character);
}
