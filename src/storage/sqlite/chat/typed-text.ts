import type { Reader } from '../database.ts';
import { createPhraseTest, createTextTest } from './contains-text.ts';
import { fold } from './fold.ts';
import { phrase } from './fts-expression.ts';
import type { IdCheck } from './id-checks.ts';
import { searchedTexts } from './index-row.ts';
import { markOf } from './marks.ts';
import { isWithinWord, occurrences } from './phrase-in-text.ts';
import { parseExtra } from './rows.ts';
import { signTokens } from './signs.ts';
import { piecesOf, tokenize } from './tokenize.ts';

/** Texts per read: they may be long. */
const ROWS_PER_READ = 100;

const TEXTS = `
  select m.id, m.text, m.extra from json_each(?) as wanted cross join messages as m on m.id = wanted.value
  where m.deleted_at is null`;

/** Messages that contain the folded text as it was typed, with its signs, and not as a part of a longer word. */
export function containsTyped(typed: string): IdCheck {
  const contains = createTextTest(typed);
  return textCheck((text) => contains(text) && isTypedIn(fold(text), typed));
}

/** Messages that contain these words and symbols one after the other; `typed` is the folded text that has them. */
export function containsPhrase(typed: string): IdCheck {
  const pieces = piecesOf(typed);
  const mayContain = createPhraseTest(pieces);
  return textCheck((text) => mayContain(text) && occurrences(fold(text), pieces, 1) > 0);
}

function textCheck(isFitting: (text: string) => boolean): IdCheck {
  return (reader, ids) => {
    const found = new Set<number>();
    for (let start = 0; start < ids.length; start += ROWS_PER_READ) {
      const some = JSON.stringify(ids.slice(start, start + ROWS_PER_READ));
      for (const { id, text, extra } of reader.all<{ id: number; text: string; extra: string | null }>(TEXTS, some)) {
        const isIn = isFitting(text) || (extra !== null && searchedTexts('', parseExtra(extra)).some(isFitting));
        if (isIn) found.add(id);
      }
    }
    return ids.filter((id) => found.has(id));
  };
}

function isTypedIn(folded: string, typed: string): boolean {
  for (let at = folded.indexOf(typed); at !== -1; at = folded.indexOf(typed, at + 1)) {
    const end = at + typed.length;
    if (!isWithinWord(folded, at) && !isWithinWord(folded, end)) return true;
  }
  return false;
}

/** Expressions for what the index knows of a folded text: its words side by side, and its signs. */
export function typedExpressions(reader: Reader, typed: string): string[] {
  const { tokens } = tokenize(typed);
  return [...(tokens.length === 0 ? [] : [phrase(tokens)]), ...signExpressions(reader, typed)];
}

/** None as long as some messages are indexed without their signs. */
export function signExpressions(reader: Reader, folded: string): string[] {
  const tokens = signTokens(folded);
  return tokens.length > 0 && areSignsIndexed(reader) ? tokens.map((token) => phrase([token])) : [];
}

export function areSignsIndexed(reader: Reader): boolean {
  return markOf(reader, 'signs') === Number.MAX_SAFE_INTEGER;
}
