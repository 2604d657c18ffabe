import { lettersOf, plain, plainDigits, withoutLeadingMarks } from './plain.ts';

/** The header of a message: `[13.6.2024 klo 15.04.05] ` or `6/13/24, 3:04 PM - `. */
export interface Header {
  /** Its shape without numbers and words: all headers of one export have the same shape. */
  shape: string;
  /** The numbers of the date in their order. */
  date: readonly [string, string, string];
  hour: number;
  minute: number;
  second: number;
  /** The letters around the time, such as `pm`; usually one of them is empty. */
  words: readonly string[];
  /** The rest of the line. */
  rest: string;
}

const MAX_HEAD = 80;
const DATE = String.raw`(?<d1>\d{1,4})\D{1,4}?(?<d2>\d{1,2})\D{1,4}?(?<d3>\d{1,4})[年月日년월일]?`;
const TIME = String.raw`(?<h>\d{1,2})(?:[:.٫]| ?h ?)(?<m>\d{1,2})(?:[:.٫](?<s>\d{1,2}))?`;
const DATE_FIRST = new RegExp(`^\\D{0,6}${DATE}(?<mid>\\D{1,24}?)${TIME}(?<tail>\\D{0,24})$`, 'u');
const TIME_FIRST = new RegExp(`^\\D{0,6}${TIME}(?<mid>\\D{1,24}?)${DATE}(?<tail>\\D{0,24})$`, 'u');
const BRACKETED = /^\[([^\]]{8,80})\][\p{Zs}\t]?/u;
const DASHED = /[\p{Zs}\t][-–—](?:[\p{Zs}\t]|$)/gu;
/** Most lines are not headers, which their first characters show. */
const FIRST_DIGIT = /^\D{0,10}\p{Nd}/u;

/** Parses the header of a line; undefined if the line continues a message. */
export function parseHeader(line: string): Header | undefined {
  const text = withoutLeadingMarks(line);
  if (!FIRST_DIGIT.test(text)) return undefined;
  return text.startsWith('[') ? parseBracketed(text) : parseDashed(text);
}

function parseBracketed(text: string): Header | undefined {
  const found = BRACKETED.exec(text);
  return found ? parseHead(found[1] ?? '', '[]', text.slice(found[0].length)) : undefined;
}

function parseDashed(text: string): Header | undefined {
  for (const { 0: dash, index } of text.slice(0, MAX_HEAD).matchAll(DASHED)) {
    const header = parseHead(text.slice(0, index), '-', text.slice(index + dash.length));
    if (header) return header;
  }
  return undefined;
}

function parseHead(written: string, frame: string, rest: string): Header | undefined {
  const head = plainDigits(plain(written));
  const { groups } = DATE_FIRST.exec(head) ?? TIME_FIRST.exec(head) ?? {};
  if (!groups) return undefined;
  const { d1 = '', d2 = '', d3 = '', h, m, s, mid = '', tail = '' } = groups;
  const [hour, minute, second] = [Number(h), Number(m), Number(s ?? 0)];
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const words = [lettersOf(mid), lettersOf(tail)].filter((word) => word !== '');
  return { shape: frame + shapeOf(head), date: [d1, d2, d3], hour, minute, second, words, rest };
}

/** `13.6.2024 klo 15.04` and `1.12.2023 klo 9.30` are both `0.0.# w 0.0`. */
function shapeOf(head: string): string {
  return head
    .replaceAll(/\d+/g, (digits) => (digits.length > 2 ? '#' : '0'))
    .replaceAll(/[\p{L}\p{M}]+(?:[. ]*[\p{L}\p{M}]+)*\.?/gu, 'w');
}
