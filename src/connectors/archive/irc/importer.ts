import { dirname } from 'node:path';
import { AppError } from '../../../domain/errors.ts';
import { createLocalClock, type ToInstant } from '../../../lib/local-time.ts';
import { linesOf } from '../entry-lines.ts';
import { type Importer, type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { createLogReader } from './log-reader.ts';

const MAX_LINE = 64 * 1024;
/** Other files that are common beside logs. */
const NO_LOG = /\.(?:json|html?|xml|gz|zip|xz|bz2|db|sqlite3?|png|jpe?g|gif|pdf|conf|ini|md|msf|mbox)$/i;
/** Errors in the first lines of a file are reported one by one only after it is known to be a log. */
const MAX_HELD = 100;
/** Progress is reported after this many bytes. */
const STEP_BYTES = 256 * 1024;

/** Logs of IRC clients: one file, a folder or a zip. */
export const irc: Importer = {
  format: 'irc',
  async *read(input) {
    const { archive, timeZone } = input;
    const files = archive.entries.filter(({ name }) => archive.kind === 'file' || !NO_LOG.test(name));
    const meter = createMeter(files.reduce((sum, { size }) => sum + size, 0));
    const toInstant = createLocalClock(timeZone);
    let [done, hasMessages, isDayless, isAssumed] = [0, false, false, false];
    for (const file of files) {
      for await (const item of readLog(file, input, toInstant)) {
        if (item.kind === 'read') yield* meter(done + item.end);
        else {
          hasMessages ||= item.kind === 'event';
          isDayless ||= item.kind === 'skipped' && item.why === 'no_time';
          if (item.kind !== 'assumed' || !isAssumed) yield item;
          isAssumed ||= item.kind === 'assumed';
        }
      }
      done += file.size;
    }
    if (!hasMessages) throw isDayless ? dayless(archive) : await wrongFormat(archive, 'irc');
  },
};

type LogItem = ImportItem | { kind: 'read'; end: number };

async function* readLog(
  file: ArchiveEntry,
  { archive, options, signal, timeZone }: ImportInput,
  toInstant: ToInstant,
): AsyncGenerator<LogItem> {
  const reader = createLogReader({ name: file.name, above: placeOf(archive) }, toInstant, options);
  const held: ImportItem[] = [];
  let [isLog, isAssumed, next] = [false, false, STEP_BYTES];
  for await (const line of linesOf(file, MAX_LINE, signal)) {
    const read = reader.read(line);
    if (read.kind === 'message') {
      if (!isLog) yield* held.splice(0);
      isLog = true;
      if (read.isLocalTime && !isAssumed) yield { kind: 'assumed', what: 'time_zone', value: timeZone };
      isAssumed ||= read.isLocalTime;
      yield { kind: 'event', event: { kind: 'message', message: read.message } };
    } else if (read.kind === 'skipped') {
      const item: ImportItem = { kind: 'skipped', why: read.why, where: whereIn(file.name, line.number) };
      if (isLog) yield item;
      else if (held.length < MAX_HELD) held.push(item);
    }
    if (line.end < next) continue;
    next = line.end + STEP_BYTES;
    yield { kind: 'read', end: line.end };
  }
  yield { kind: 'read', end: file.size };
  if (isLog) yield { kind: 'event', event: { kind: 'chat', chat: reader.chat() } };
  else if (held.some((item) => item.kind === 'skipped' && item.why !== 'malformed')) yield* held;
  else yield { kind: 'skipped', why: 'not_a_chat', where: whereIn(file.name) };
}

function dayless({ path }: ArchiveReader): AppError {
  return new AppError('INVALID_PARAMETER', `Nothing in ${path} says on which day it was written.`, {
    field: 'path',
    hint: 'Name the file after its first day, like chat_2024-06-13.log.',
  });
}

function placeOf({ path, kind }: ArchiveReader): string {
  return kind === 'folder' ? path : dirname(path);
}
