const [NEWLINE, RETURN, SPACE, TAB, DASH] = [0x0a, 0x0d, 0x20, 0x09, 0x2d];
/** RFC 2046 allows 70. */
const MAX_BOUNDARY = 250;
const GUESS_WITHIN = 8 * 1024;

export interface PartRange {
  start: number;
  end: number;
  /** Whether a boundary follows it. */
  isEnded: boolean;
}

/**
 * The parts of a multipart body, in order. The content between the boundaries is not looked at, and what is after the last
 * boundary is left out.
 */
export function* partRanges(bytes: Buffer, start: number, end: number, boundary: string): Generator<PartRange> {
  const body = bytes.subarray(start, end);
  const line = Buffer.from(`--${boundary}`, 'latin1');
  let opened: number | undefined;
  for (let at = body.indexOf(line); at !== -1; at = body.indexOf(line, at + line.length)) {
    if (at > 0 && body[at - 1] !== NEWLINE) continue;
    const isLast = body[at + line.length] === DASH && body[at + line.length + 1] === DASH;
    const next = afterLine(body, at + line.length + (isLast ? 2 : 0));
    if (next === -1) continue;
    if (opened !== undefined) {
      yield { start: start + opened, end: start + Math.max(opened, beforeBreak(body, at)), isEnded: true };
    }
    opened = isLast ? undefined : next;
    if (isLast) return;
  }
  if (opened !== undefined) yield { start: start + opened, end, isEnded: false };
}

/** After a line break that only blanks precede; -1 if something else does: then it is another boundary, or text. */
function afterLine(body: Buffer, start: number): number {
  let at = start;
  while (body[at] === SPACE || body[at] === TAB) at += 1;
  if (body[at] === RETURN) at += 1;
  if (at >= body.length) return body.length;
  return body[at] === NEWLINE ? at + 1 : -1;
}

/** The line break before a boundary belongs to it. */
function beforeBreak(body: Buffer, at: number): number {
  if (at === 0) return 0;
  return body[at - 2] === RETURN ? at - 2 : at - 1;
}

/** The boundary that a header names, if the body has it; else what the first line with two dashes looks like. */
export function boundaryOf(bytes: Buffer, start: number, end: number, named: string | undefined): string | undefined {
  const trimmed = (named ?? '').trimEnd();
  const isUsable = trimmed !== '' && trimmed.length <= MAX_BOUNDARY;
  if (isUsable && bytes.subarray(start, end).includes(`--${trimmed}`, 0, 'latin1')) return trimmed;
  const beginning = bytes.toString('latin1', start, Math.min(end, start + GUESS_WITHIN));
  return /^--([!-~][ -~]{0,99}?)[ \t]*\r?\n[\w-]+:/m.exec(beginning)?.[1];
}
