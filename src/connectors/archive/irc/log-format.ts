import type { DateOrder } from '../../../domain/archive.ts';
import { readDate, readTime, readUnixTime } from './format-times.ts';
import { type FormatField, type FormatToken, literalAt, parseFormat } from './format-tokens.ts';
import type { LogLine } from './log-line.ts';
import type { Stamp } from './log-stamp.ts';

type Said = Extract<LogLine, { kind: 'said' }>;

/** Reads a line in the format that the user described; undefined if it is not in this format. */
export type LineFormat = (line: string) => Said | undefined;

const MAX_NAME = 64;
const MAX_SKIPPED = 1_000;
/** What encloses a name, which may then have spaces. */
const ENCLOSING = /^[>\t\])}|;,"]/;

interface Found {
  stamp?: Stamp;
  date?: NonNullable<Stamp['date']>;
  channel?: string;
  sender: string;
  text: string;
}

/**
 * A format such as `{date} {time} <{nick}> {text}`. A field ends where what follows it first occurs: nothing is tried
 * twice, so that no pattern can make a line take long.
 */
export function createLineFormat(pattern: string, order: DateOrder | undefined): LineFormat {
  const tokens = parseFormat(pattern);

  function fieldAt(name: FormatField, next: FormatToken | undefined, line: string, at: number, found: Found): number {
    switch (name) {
      case 'time':
      case 'unixtime': {
        const time = (name === 'time' ? readTime : readUnixTime)(line, at);
        if (time) found.stamp = time.value;
        return time?.end ?? -1;
      }
      case 'date': {
        const date = readDate(line, at, order);
        if (date) found.date = date.value;
        return date?.end ?? -1;
      }
      case 'text':
      case 'action':
        found.text = name === 'text' ? line.slice(at) : `/me ${line.slice(at)}`;
        return line.length;
      case 'any':
        return endOf(next, line, at, MAX_SKIPPED);
      default:
        return nameAt(name, next, line, at, found);
    }
  }

  return (line) => {
    const found: Found = { sender: '', text: '' };
    let at = 0;
    for (const [index, token] of tokens.entries()) {
      at =
        token.kind === 'literal'
          ? (literalAt(token, line, at) ?? -1)
          : fieldAt(token.name, tokens[index + 1], line, at, found);
      if (at === -1) return undefined;
    }
    const { stamp, date, ...said } = found;
    if (at < line.length || !stamp) return undefined;
    return { kind: 'said', stamp: date ? { ...stamp, date } : stamp, ...said };
  };
}

function nameAt(
  field: 'nick' | 'channel',
  next: FormatToken | undefined,
  line: string,
  at: number,
  found: Found,
): number {
  const end = endOf(next, line, at, MAX_NAME);
  const written = end === -1 ? '' : line.slice(at, end).trim();
  const mayHaveSpaces = next?.kind === 'literal' && ENCLOSING.test(next.text);
  if (written === '' || (!mayHaveSpaces && /\s/.test(written))) return -1;
  if (field === 'channel') found.channel = written;
  else found.sender = written.replace(/^[@+%&~!](?=.)/, '');
  return end;
}

/** Where the literal after a field begins; the end of the line if nothing follows. */
function endOf(next: FormatToken | undefined, line: string, start: number, longest: number): number {
  if (next?.kind !== 'literal') return line.length - start <= longest ? line.length : -1;
  for (let at = start; at <= Math.min(line.length, start + longest); at++) {
    if (literalAt(next, line, at) !== undefined) return at;
  }
  return -1;
}
