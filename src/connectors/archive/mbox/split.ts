import { createPad } from './pad.ts';
import { createSlimPad } from './slim.ts';

/** One email of an mbox, with mbox quoting removed. */
export interface RawLetter {
  /** Counted from 1. */
  number: number;
  /** The rest of the `From ` line before it; empty for a file that is a single email. */
  envelope: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** It exceeded the size limit. */
  isCut: boolean;
}

export interface Splitter {
  push(chunk: Buffer): readonly RawLetter[];
  end(): readonly RawLetter[];
  /** Number of lines before the first email. */
  preamble(): number;
}

const [NEWLINE, RETURN, LETTER_F, QUOTE] = [0x0a, 0x0d, 0x46, 0x3e];
const FROM = Buffer.from('From ');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** A longer line is not a `From ` line, so its beginning is passed on without waiting for its end. */
const MAX_LINE = 256 * 1024;
const MAX_NAME = 100;
const FIELD = /^[a-z][\w.-]*[ \t]*:/i;
const DATE = /\d{1,2}:\d\d(?::\d\d)?\b.*\b\d{4}\b|\b\d{4}-\d\d-\d\d/;

/**
 * Splits an mbox into emails while streaming. An email starts with a `From …` line after an empty line, with a date
 * if the first such line of the file has one, and with a header field on the next line. So text that only looks like
 * it stays text, whether or not the file quotes such lines. One `>` is removed from quoted lines.
 */
export function createSplitter(largest: number): Splitter {
  const pad = createSlimPad(createPad(largest));
  let finished: RawLetter[] = [];
  let open: { number: number; envelope: string } | undefined;
  let [number, preamble] = [0, 0];
  let rest: Buffer = Buffer.alloc(0);
  /** About the next line: it follows an empty line; it is the rest of a too long line; nothing came before. */
  let [afterBlank, isMidLine, isFirst] = [true, false, true];
  /** A line that may start an email; the next line decides. */
  let heading: Buffer | undefined;
  let hasDates: boolean | undefined;

  function begin(envelope: string): void {
    finish();
    number += 1;
    open = { number, envelope };
  }

  function finish(): void {
    if (open) finished.push({ ...open, ...pad.take() });
    open = undefined;
  }

  function keep(data: Buffer, start: number, end: number): void {
    if (open) pad.add(data, start, end);
    else if (!isBlank(data, start, end)) preamble += 1;
  }

  function take(data: Buffer, start: number, end: number): void {
    if (isMidLine) return keep(data, start, end);
    if (heading) decide(heading, isField(data, start, end));
    const mayBegin = afterBlank && isFrom(data, start) && (hasDates !== true || hasDate(data, start, end));
    afterBlank = isBlank(data, start, end);
    if (mayBegin) heading = Buffer.from(data.subarray(start, end));
    else {
      if (isFirst && isField(data, start, end)) begin('');
      isFirst &&= afterBlank;
      keep(data, isQuoted(data, start, end) ? start + 1 : start, end);
    }
  }

  function decide(line: Buffer, isHeading: boolean): void {
    heading = undefined;
    if (isHeading) {
      hasDates ??= hasDate(line, 0, line.length);
      begin(line.toString('latin1', FROM.length).trim());
    } else keep(line, 0, line.length);
    isFirst = false;
  }

  function takeLines(data: Buffer): Buffer {
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
      take(data, start, end + 1);
      isMidLine = false;
      start = end + 1;
    }
    if (data.length - start <= MAX_LINE) return data.subarray(start);
    take(data, start, data.length);
    isMidLine = true;
    return data.subarray(data.length);
  }

  return {
    push(chunk) {
      finished = [];
      const isStart = isFirst && number === 0 && rest.length === 0;
      const hasMark = isStart && chunk.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      const data = hasMark ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
      rest = takeLines(rest.length === 0 ? data : Buffer.concat([rest, data]));
      return finished;
    },
    end() {
      finished = [];
      if (rest.length > 0) take(rest, 0, rest.length);
      if (heading) decide(heading, false);
      finish();
      return finished;
    },
    preamble: () => preamble,
  };
}

function isBlank(data: Buffer, start: number, end: number): boolean {
  const length = end - start;
  return length === 0 || (data[start] === NEWLINE && length === 1) || (data[start] === RETURN && length === 2);
}

function isFrom(data: Buffer, start: number): boolean {
  return (
    data[start] === LETTER_F &&
    data.compare(FROM, 0, FROM.length, start, Math.min(start + FROM.length, data.length)) === 0
  );
}

function isQuoted(data: Buffer, start: number, end: number): boolean {
  if (data[start] !== QUOTE) return false;
  let at = start;
  while (at < end && data[at] === QUOTE) at += 1;
  return isFrom(data, at);
}

/** A header field: a name and a colon. */
function isField(data: Buffer, start: number, end: number): boolean {
  return FIELD.test(data.toString('latin1', start, Math.min(end, start + MAX_NAME)));
}

function hasDate(data: Buffer, start: number, end: number): boolean {
  return DATE.test(data.toString('latin1', start, Math.min(end, start + 512)));
}
