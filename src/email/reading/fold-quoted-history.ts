import {
  attributionAt,
  attributionEndingAt,
  isForwardedLine,
  isHeaderBlockAt,
  isOriginalLine,
} from './quote-markers.ts';

export interface FoldedText {
  text: string;
  /** Lines of earlier emails that are left out. */
  folded: number;
  /** Lines of a long signature that are left out. */
  signature: number;
}

const MAX_SIGNATURE_LINES = 4;
const MAX_SIGNATURE = 300;
const MOST_SIGNATURE_LINES = 25;
/** The headers of a forwarded email follow its first line. */
const FORWARDED_HEADERS = 10;

/**
 * A text without the earlier emails at its end, and with at most a few lines of its signature. Quotations between its own
 * lines are kept, and so is a forwarded email. If nothing else is there, nothing is left out. `isForward` says that the
 * subject is that of a forwarded email.
 */
export function foldQuotedHistory(text: string, { isForward = false }: { isForward?: boolean } = {}): FoldedText {
  const lines = text.split('\n');
  const start = startOfHistory(lines, isForward);
  const own = withoutBlankEnd(lines.slice(0, start));
  if (own.length === 0) return { text, folded: 0, signature: 0 };
  const kept = withShortSignature(own);
  return {
    text: kept.join('\n'),
    folded: lines.slice(start).filter((line) => line.trim() !== '').length,
    signature: own.length - kept.length,
  };
}

function startOfHistory(lines: readonly string[], isForward: boolean): number {
  const quoted = startOfLastQuotation(lines);
  return Math.min(quoted, startOfUnquoted(lines, quoted, isForward));
}

/** The quoted lines at the end and what introduces them. A signature may be below them. */
function startOfLastQuotation(lines: readonly string[]): number {
  const end = startOfSignature(lines);
  let start = end;
  let first = end;
  while (start > 0 && isQuotedOrBlank(lines[start - 1] ?? '')) {
    start -= 1;
    if (isQuoted(lines[start] ?? '')) first = start;
  }
  if (first === end) return lines.length;
  // Blank lines between the introduction and the quotation.
  return Math.min(first, introductionBefore(lines, first) ?? first);
}

function introductionBefore(lines: readonly string[], first: number): number | undefined {
  let last = first - 1;
  while (last >= 0 && (lines[last] ?? '').trim() === '') last -= 1;
  return attributionEndingAt(lines, last);
}

/** What Outlook and others put below the text: nothing marks its lines. */
function startOfUnquoted(lines: readonly string[], limit: number, isForward: boolean): number {
  for (let at = 0; at < limit; at++) {
    const line = lines[at] ?? '';
    if (isQuoted(line)) continue;
    if (isForwardedLine(line)) at += FORWARDED_HEADERS;
    else if (isOriginalLine(line)) return isForward ? lines.length : at;
    else if (isHeaderBlockAt(lines, at)) return isForward ? lines.length : withLineAbove(lines, at);
    else if (isUnquotedAttribution(lines, at)) return at;
  }
  return lines.length;
}

function isUnquotedAttribution(lines: readonly string[], at: number): boolean {
  const count = attributionAt(lines, at);
  if (count === 0) return false;
  const next = lines.slice(at + count, at + count + 3).find((line) => line.trim() !== '');
  return next !== undefined && !isQuoted(next);
}

/** Outlook draws a line above the headers. */
function withLineAbove(lines: readonly string[], at: number): number {
  for (let above = at - 1; above >= Math.max(0, at - 2); above--) {
    if (/^\s*[_-]{5,}\s*$/.test(lines[above] ?? '')) return above;
  }
  return at;
}

/** Index of `-- `; the number of lines if there is none, or if too much follows it. */
function startOfSignature(lines: readonly string[]): number {
  for (let at = lines.length - 1; at >= Math.max(0, lines.length - MOST_SIGNATURE_LINES); at--) {
    if (isSignatureMark(lines[at] ?? '')) return at;
    if (isQuoted(lines[at] ?? '')) break;
  }
  return lines.length;
}

function withShortSignature(lines: string[]): string[] {
  const mark = lines.findLastIndex(isSignatureMark);
  // More than these are no signature, and the mark is a line that somebody drew.
  if (mark <= 0 || lines.length - mark > MOST_SIGNATURE_LINES) return lines;
  let end = mark + 1;
  let length = 0;
  while (end < lines.length && end - mark <= MAX_SIGNATURE_LINES) {
    length += lines[end]?.length ?? 0;
    if (length > MAX_SIGNATURE) break;
    end += 1;
  }
  return lines.slice(0, end);
}

function isSignatureMark(line: string): boolean {
  return line === '-- ' || line === '--';
}

function isQuoted(line: string): boolean {
  return /^\s{0,3}>/.test(line);
}

function isQuotedOrBlank(line: string): boolean {
  return isQuoted(line) || line.trim() === '';
}

function withoutBlankEnd(lines: string[]): string[] {
  let end = lines.length;
  while (end > 0 && (lines[end - 1] ?? '').trim() === '') end -= 1;
  return lines.slice(0, end);
}
