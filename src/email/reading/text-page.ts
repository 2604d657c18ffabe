export interface TextPage {
  text: string;
  /** Where it begins. */
  offset: number;
  /** Where the next page begins; missing on the last one. */
  next?: number;
  /** Length of the whole text. */
  total: number;
}

/** A page should end with a line if one ends in its last part. */
const LAST_PART = 0.2;

/** A part of a long text. All pages together are the text; no character is in two of them. */
export function textPage(text: string, { offset = 0, limit }: { offset?: number; limit: number }): TextPage {
  const start = withoutHalf(text, Math.min(Math.max(0, Math.trunc(offset)), text.length));
  const end = endOfPage(text, start, Math.max(1, Math.trunc(limit)));
  return {
    text: text.slice(start, end),
    offset: start,
    ...(end < text.length ? { next: end } : {}),
    total: text.length,
  };
}

function endOfPage(text: string, start: number, limit: number): number {
  const last = start + limit;
  if (last >= text.length) return text.length;
  const newline = text.lastIndexOf('\n', last - 1);
  if (newline >= last - limit * LAST_PART && newline >= start) return newline + 1;
  const end = beforeCharacter(text, last);
  return end > start ? end : afterCharacter(text, last);
}

/** A mark, a joiner or a variation selector belongs to the character before it. */
const CONTINUES = /[\p{M}\p{Emoji_Modifier}]|\u200c|\u200d/u;
/** More marks than these on one character are a trick. */
const MAX_MARKS = 32;

/** The nearest place before this one that is not within a character. */
function beforeCharacter(text: string, place: number): number {
  let at = place;
  for (let count = 0; count < MAX_MARKS && isWithin(text, at); count++) at -= 1;
  return isWithin(text, at) ? withoutHalf(text, place) : at;
}

function afterCharacter(text: string, place: number): number {
  let at = place;
  for (let count = 0; count < MAX_MARKS && at < text.length && isWithin(text, at); count++) at += 1;
  return isLowHalf(text, at) ? at + 1 : at;
}

function isWithin(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  if (isLowHalf(text, at)) return true;
  const [previous, next] = [text[at - 1] ?? '', String.fromCodePoint(text.codePointAt(at) ?? 0)];
  return CONTINUES.test(next) || previous === '\u200d' || (previous === '\r' && next === '\n');
}

function isLowHalf(text: string, at: number): boolean {
  const [before, code] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

function withoutHalf(text: string, at: number): number {
  return isLowHalf(text, at) ? at - 1 : at;
}
