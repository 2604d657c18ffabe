import { isUtf8 } from 'node:buffer';
import { type EntryLine, linesOf } from '../entry-lines.ts';
import type { ImportOptions } from '../importer.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { createLineFormat } from './log-format.ts';
import { type LogLine, readLogLine } from './log-line.ts';

/** Reads one line of a log, without its line break. */
export type ReadLine = (line: string) => LogLine;

export interface ReadEntryLine {
  /** Undefined if it is too long. */
  line: LogLine | undefined;
  number: number;
  /** Bytes of the file read so far, including this line. */
  end: number;
}

const MAX_LINE = 64 * 1024;
const LATIN = new TextDecoder('windows-1252');

/**
 * Lines in the formats that the user described, or in any known one. Beside described formats, only days and what the
 * server says are read as usual: what somebody wrote might be read wrongly.
 */
export function createLineReader({ lineFormats = [], dateOrder }: ImportOptions): ReadLine {
  if (lineFormats.length === 0) return readLogLine;
  const formats = lineFormats.map((pattern) => createLineFormat(pattern, dateOrder));
  return (line) => {
    for (const format of formats) {
      const said = format(line);
      if (said) return said;
    }
    const usual = readLogLine(line);
    return usual.kind === 'said' ? { kind: 'unknown' } : usual;
  };
}

export async function* readLines(
  file: ArchiveEntry,
  readLine: ReadLine,
  signal: AbortSignal,
): AsyncGenerator<ReadEntryLine> {
  for await (const entryLine of linesOf(file, MAX_LINE, signal)) {
    const { number, end, isTooLong } = entryLine;
    yield { line: isTooLong ? undefined : readLine(textOf(entryLine)), number, end };
  }
}

function textOf({ bytes }: EntryLine): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : LATIN.decode(bytes);
}
