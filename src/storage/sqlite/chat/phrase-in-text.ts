import { kindOf, LETTER, SEPARATOR } from './character-kinds.ts';

/** How often a folded text has these words and symbols one after the other, with nothing but separators between them. */
export function occurrences(text: string, phrase: readonly string[], enough = Number.POSITIVE_INFINITY): number {
  const [first = ''] = phrase;
  let count = 0;
  for (let at = text.indexOf(first); at !== -1 && count < enough; at = text.indexOf(first, at + 1)) {
    if (!isWithinWord(text, at) && isPhraseAt(text, at, phrase)) count += 1;
  }
  return count;
}

function isPhraseAt(text: string, start: number, phrase: readonly string[]): boolean {
  let at = start;
  for (const piece of phrase) {
    while (at < text.length && kindOf(text.codePointAt(at) ?? 0) === SEPARATOR) at += 1;
    if (!text.startsWith(piece, at) || isWithinWord(text, at + piece.length)) return false;
    at += piece.length;
  }
  return true;
}

/** Whether there are letters on both sides of this place. */
export function isWithinWord(text: string, place: number): boolean {
  if (place === 0 || place >= text.length) return false;
  const unit = text.charCodeAt(place - 1);
  const before = unit >= 0xdc_00 && unit < 0xe0_00 ? text.codePointAt(place - 2) : unit;
  return isLetter(before) && isLetter(text.codePointAt(place));
}

function isLetter(code: number | undefined): boolean {
  return code !== undefined && kindOf(code) === LETTER;
}
