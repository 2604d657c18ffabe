import { createPad } from './pad.ts';
import { createSlimPad } from './slim.ts';

/** One email of an mbox, with mbox quoting removed. */
export interface RawLetter {
  /** Counted from 1. */
  number: number;
  /** The line on which it begins, counted from 1. */
  line: number;
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

const [NEWLINE, SPACE, LETTER_F, QUOTE] = [0x0a, 0x20, 0x46, 0x3e];
const FROM = Buffer.from('From ');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** A longer line is not a `From ` line, so its beginning is passed on without waiting for its end. */
const MAX_LINE = 256 * 1024;
const MAX_NAME = 100;
const FIELD = /^[a-z][\w.-]*[ \t]*:/i;
const DATE = /\d{1,2}:\d\d(?::\d\d)?\b.*\b\d{4}\b|\b\d{4}-\d\d-\d\d/;
/** As `asctime` of C writes it, perhaps with a zone: `Thu Jun 13 12:34:56 2024`. Nearly all programs write it so. */
const ASCTIME =
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2},? +\d{1,2}:\d\d(?::\d\d)?(?: +[\w+-]{1,6}){0,2} +\d{2,4}\b/;
const MAIL_FIELD =
  /^(?:from|date|subject|to|cc|sender|message-id|received|return-path|delivered-to|reply-to|in-reply-to|references|mime-version|content-type|status|x-[\w-]+):/i;
/** A date makes a line more certain. */
const [NO_DATE, ANY_DATE, C_DATE] = [0, 1, 2] as const;
type Style = typeof NO_DATE | typeof ANY_DATE | typeof C_DATE;

/** A line that may start an email. */
interface Heading {
  bytes: Buffer;
  line: number;
  style: Style;
}

/**
 * Splits an mbox into emails while streaming. An email starts with a `From …` line after a line without visible characters,
 * with a date as in the first such line of the file, and with a header field on the next line. So text that only looks like
 * it stays text, whether or not the file quotes such lines. One `>` is removed from quoted lines.
 * `isOne`: a file that does not begin with such a line is one email, whatever is in it.
 */
export function createSplitter(largest: number, isOne = false): Splitter {
  const pad = createSlimPad(createPad(largest));
  let finished: RawLetter[] = [];
  let open: { number: number; line: number; envelope: string } | undefined;
  let [number, line, preamble] = [0, 0, 0];
  let rest: Buffer = Buffer.alloc(0);
  /** About the next line: it follows an empty line; it is the rest of a too long line; nothing came before. */
  let [afterBlank, isMidLine, isFirst] = [true, false, true];
  /** The rest of the file is one email. */
  let isWhole = false;
  /** The next line decides. */
  let heading: Heading | undefined;
  /** How the first such line of the file is written; all others are alike. */
  let style: Style | undefined;

  function begin(envelope: string, at: number): void {
    finish();
    number += 1;
    open = { number, line: at, envelope };
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
    if (isMidLine || isWhole) return keep(data, start, end);
    line += 1;
    if (heading) decide(heading, isBeginning(heading, data, start, end));
    const mayBegin =
      afterBlank && isFrom(data, start) && styleOf(data, start, end) >= Math.min(style ?? NO_DATE, ANY_DATE);
    afterBlank = isBlank(data, start, end);
    if (mayBegin) heading = { bytes: Buffer.from(data.subarray(start, end)), line, style: styleOf(data, start, end) };
    else {
      if (isFirst && isField(data, start, end)) {
        begin('', line);
        isWhole = isOne;
        // Text of this email is more likely than an mbox without its first line.
        style = C_DATE;
      }
      isFirst &&= afterBlank;
      keep(data, isQuoted(data, start, end) ? start + 1 : start, end);
    }
  }

  /** A line that differs from the others of the file begins an email only before a header that every program writes. */
  function isBeginning({ style: own }: Heading, data: Buffer, start: number, end: number): boolean {
    if (own >= (style ?? NO_DATE)) return isField(data, start, end) || isQuoted(data, start, end);
    return MAIL_FIELD.test(data.toString('latin1', start, Math.min(end, start + MAX_NAME)));
  }

  function decide({ bytes, line: at }: Heading, isHeading: boolean): void {
    heading = undefined;
    if (isHeading) {
      style ??= styleOf(bytes, 0, bytes.length);
      begin(bytes.toString('latin1', FROM.length).trim(), at);
    } else keep(bytes, 0, bytes.length);
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

/** Without visible characters: programs leave blanks and more than one carriage return. */
function isBlank(data: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((data[at] as number) > SPACE) return false;
  return true;
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

function styleOf(data: Buffer, start: number, end: number): Style {
  const line = data.toString('latin1', start, Math.min(end, start + 512));
  if (ASCTIME.test(line)) return C_DATE;
  return DATE.test(line) ? ANY_DATE : NO_DATE;
}
