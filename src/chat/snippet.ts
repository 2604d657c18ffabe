/** Before and after the first thing that was found. */
const BEFORE = 60;
const LONGEST = 240;

/** A text is looked through by stretches of this length, which overlap: what was found may lie across their ends. */
const STRETCH = 4_096;
const OVERLAP = 2_048;

/** The part of a text where something was found, with what was found between asterisks; case and accents do not count. */
export function snippet(text: string, wanted: readonly string[]): string {
  const parts = wanted.map(fold).filter((part) => part !== '');
  const from = stretchWith(text, parts);
  const hits = findAll(text.slice(from, from + 2 * STRETCH), parts);
  const start = charStart(text, Math.max(0, from + (hits[0]?.start ?? 0) - BEFORE));
  const end = charStart(text, Math.min(text.length, start + LONGEST));
  const marked = hits
    .map((hit) => ({ start: from + hit.start - start, end: from + hit.end - start }))
    .filter((hit) => hit.start >= 0 && hit.end <= end - start)
    .reduceRight(
      (shown, hit) => `${shown.slice(0, hit.start)}**${shown.slice(hit.start, hit.end)}**${shown.slice(hit.end)}`,
      text.slice(start, end),
    );
  return `${start > 0 ? '…' : ''}${marked}${end < text.length ? '…' : ''}`;
}

/** Where to look closely, which takes long: the first stretch that has something of it. */
function stretchWith(text: string, parts: readonly string[]): number {
  for (let from = 0; from < text.length; from += STRETCH - OVERLAP) {
    const folded = fold(text.slice(from, from + STRETCH));
    if (parts.some((part) => folded.includes(part))) return charStart(text, from);
  }
  return 0;
}

interface Hit {
  start: number;
  end: number;
}

/** All places, in order, none within another. */
function findAll(text: string, parts: readonly string[]): Hit[] {
  const { folded, places } = foldedWithPlaces(text);
  const found = parts
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
