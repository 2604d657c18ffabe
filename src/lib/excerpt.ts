import { type Marked, matchesIn } from './snippet.ts';
import { characterStart } from './word-characters.ts';

export interface Excerpt {
  text: string;
  isShortened: boolean;
}

/** A text up to this length is given as it is. */
const MAX_WHOLE = 1_000;
/** Of a longer one: its beginning, or some parts around what was searched for. */
const BEGINNING = 500;
const MAX_PARTS = 3;
const BEFORE_MATCH = 80;
const AFTER_MATCH = 120;
const GAP = '…';

/** What a list shows of a text: all of it, or the parts around the matches, or its beginning. */
export function excerpt(text: string, query?: Marked): Excerpt {
  if (text.length <= MAX_WHOLE) return { text, isShortened: false };
  const parts = partsAround(query ? matchesIn(text, query) : []);
  const shown = parts.length === 0 ? [{ start: 0, end: BEGINNING }] : parts;
  return { text: joined(text, shown), isShortened: true };
}

interface Part {
  start: number;
  end: number;
}

/** Parts that touch are one. */
function partsAround(matches: readonly Part[]): Part[] {
  const parts: Part[] = [];
  for (const match of matches) {
    const part = { start: Math.max(0, match.start - BEFORE_MATCH), end: match.start + AFTER_MATCH };
    const last = parts.at(-1);
    if (last && part.start <= last.end) last.end = Math.min(part.end, last.start + BEGINNING);
    else if (parts.length === MAX_PARTS) break;
    else parts.push(part);
  }
  return parts;
}

/** With a gap wherever something is left out. */
function joined(text: string, parts: readonly Part[]): string {
  const slices = parts.map(({ start, end }) =>
    text.slice(characterStart(text, start), characterStart(text, Math.min(end, text.length))),
  );
  const [first, last] = [parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0];
  return `${first > 0 ? GAP : ''}${slices.join(GAP)}${last < text.length ? GAP : ''}`;
}
