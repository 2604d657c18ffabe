/** Before and after the first thing that was found. */
const BEFORE = 60;
const LONGEST = 240;

/** The part of a text where something was found, with what was found between asterisks; case and accents do not count. */
export function snippet(text: string, wanted: readonly string[]): string {
  const hits = findAll(text, wanted);
  const start = charStart(text, Math.max(0, (hits[0]?.start ?? 0) - BEFORE));
  const end = charStart(text, Math.min(text.length, start + LONGEST));
  const marked = hits
    .filter((hit) => hit.start >= start && hit.end <= end)
    .reduceRight(
      (shown, hit) => `${shown.slice(0, hit.start)}**${shown.slice(hit.start, hit.end)}**${shown.slice(hit.end)}`,
      text.slice(0, end),
    )
    .slice(start);
  return `${start > 0 ? '…' : ''}${marked}${end < text.length ? '…' : ''}`;
}

interface Hit {
  start: number;
  end: number;
}

/** All places, in order, none within another. */
function findAll(text: string, wanted: readonly string[]): Hit[] {
  const { folded, places } = foldedWithPlaces(text);
  const found = wanted
    .map(fold)
    .filter((part) => part !== '')
    .flatMap((part) => [...occurrences(folded, part)].map((at) => ({ at, length: part.length })))
    .sort((a, b) => a.at - b.at || b.length - a.length);
  const hits: Hit[] = [];
  for (const { at, length } of found) {
    const start = places[at] ?? 0;
    const end = places[at + length] ?? text.length;
    if (start >= (hits.at(-1)?.end ?? 0) && end > start) hits.push({ start, end });
  }
  return hits;
}

function* occurrences(text: string, part: string): Generator<number> {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) yield at;
}

/** The text without case and accents, and for each unit of it where the character stands in the original. */
function foldedWithPlaces(text: string): { folded: string; places: number[] } {
  let folded = '';
  let at = 0;
  const places: number[] = [];
  for (const character of text) {
    const plain = fold(character);
    for (let unit = 0; unit < plain.length; unit++) places.push(at);
    folded += plain;
    at += character.length;
  }
  places.push(at);
  return { folded, places };
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Not in the middle of a character. */
function charStart(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
