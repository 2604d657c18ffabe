import { dirname } from 'node:path';
import { createLocalClock, type ToInstant } from '../../../lib/local-time.ts';
import { type Importer, type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveReader } from '../open-archive.ts';
import { isPacked } from '../packed.ts';
import { channelsOf, type LocatedLog } from './channels.ts';
import { chatNamed, locate } from './log-location.ts';
import { createLogReader } from './log-reader.ts';
import { createLogSurvey, type LogFindings } from './log-survey.ts';
import { noMessages } from './problems.ts';
import { createLineReader, type ReadEntryLine, type ReadLine, readLines } from './read-lines.ts';

/** Other files that are common beside logs. */
const NO_LOG = /\.(?:json|html?|xml|gz|db|sqlite3?|png|jpe?g|gif|pdf|conf|ini|md|msf|mbox)$/i;
/** Lines of a file that are read before the first message is made of them: what they show holds for the whole. */
const SURVEYED_LINES = 10_000;
const SURVEYED_BYTES = 2 * 1024 * 1024;
/** Progress is reported after this many bytes. */
const STEP_BYTES = 256 * 1024;

/** Logs of IRC clients: one file, a folder or a zip. */
export const irc: Importer = {
  format: 'irc',
  async *read(input) {
    const { archive, timeZone, signal, options } = input;
    const readLine = createLineReader(options);
    const packed = archive.kind === 'file' ? [] : archive.entries.filter(isPacked);
    for (const { name } of packed) yield { kind: 'skipped', why: 'packed', where: whereIn(name) };
    const logs = archive.entries
      .filter((file) => archive.kind === 'file' || (!NO_LOG.test(file.name) && !isPacked(file)))
      .map((file): LocatedLog => ({ file, location: locate(file.name, placeOf(archive)) }));
    const channels = await channelsOf(logs, readLine, signal);
    const meter = createMeter(logs.reduce((sum, { file }) => sum + file.size, 0));
    const around: Around = { input, readLine, toInstant: createLocalClock(timeZone), channels, twelveHour: new Set() };
    const assumed = new Set<string>();
    const skipped = new Set<string>();
    let [done, hasMessages] = [0, false];
    for (const log of logs) {
      for await (const item of readLog(log, around)) {
        if (item.kind === 'read') yield* meter(done + item.end);
        else if (item.kind !== 'assumed' || !assumed.has(item.what)) yield item;
        if (item.kind === 'event') hasMessages = true;
        else if (item.kind === 'assumed') assumed.add(item.what);
        else if (item.kind === 'skipped') skipped.add(item.why);
      }
      done += log.file.size;
    }
    if (!hasMessages) throw await noMessages(archive, skipped, options);
  },
};

type LogItem = ImportItem | { kind: 'read'; end: number };

interface Around {
  input: ImportInput;
  readLine: ReadLine;
  toInstant: ToInstant;
  /** Channels that logs of several files name, by the ids of the chats that their paths name. */
  channels: ReadonlyMap<string, string>;
  /** Chats whose logs have a clock with twelve hours. */
  twelveHour: Set<string>;
}

async function* readLog(log: LocatedLog, around: Around): AsyncGenerator<LogItem> {
  const { file, location } = log;
  const { input, readLine } = around;
  const lines = readLines(file, readLine, input.signal);
  const survey = createLogSurvey(location.date !== undefined);
  const first: ReadEntryLine[] = [];
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    first.push(next.value);
    survey.add(next.value.line ?? { kind: 'unknown' });
    if (first.length >= SURVEYED_LINES || next.value.end >= SURVEYED_BYTES) break;
  }
  const findings = survey.findings();
  if (findings.unknown > findings.fitting || findings.fitting === 0) {
    const isLog = findings.said > 0 || findings.timed * 2 > findings.unknown;
    const why = isLog ? 'unknown_format' : 'not_a_chat';
    yield { kind: 'skipped', why, where: whereIn(file.name) };
    return;
  }
  yield* toItems(joined(first, lines), log, findings, around);
}

async function* toItems(
  lines: AsyncIterable<ReadEntryLine>,
  { file, location }: LocatedLog,
  findings: LogFindings,
  { input, toInstant, channels, twelveHour }: Around,
): AsyncGenerator<LogItem> {
  const chat = chatNamed(location, channels.get(location.chat.id) ?? findings.channel);
  const isTwelveHour = findings.clock === 'twelve' || (findings.clock === 'open' && twelveHour.has(chat.id));
  if (isTwelveHour) {
    twelveHour.add(chat.id);
    yield { kind: 'assumed', what: 'clock', value: '12-hour' };
  }
  const settings = { chat, network: location.network, named: location.date, isTwelveHour };
  const reader = createLogReader(settings, toInstant, input.options);
  let [hasMessages, isAssumed, next] = [false, false, STEP_BYTES];
  for await (const { line, number, end } of lines) {
    const read = line ? reader.read(line) : ({ kind: 'skipped', why: 'too_large' } as const);
    if (read.kind === 'message') {
      hasMessages = true;
      if (read.isLocalTime && !isAssumed) yield { kind: 'assumed', what: 'time_zone', value: input.timeZone };
      isAssumed ||= read.isLocalTime;
      yield { kind: 'event', event: { kind: 'message', message: read.message } };
    } else if (read.kind === 'skipped') {
      yield { kind: 'skipped', why: read.why, where: whereIn(file.name, number) };
    }
    if (end < next) continue;
    next = end + STEP_BYTES;
    yield { kind: 'read', end };
  }
  yield { kind: 'read', end: file.size };
  const known = reader.chat();
  if (hasMessages && known) yield { kind: 'event', event: { kind: 'chat', chat: known } };
}

async function* joined(
  first: readonly ReadEntryLine[],
  rest: AsyncIterable<ReadEntryLine>,
): AsyncGenerator<ReadEntryLine> {
  yield* first;
  yield* rest;
}

function placeOf({ path, kind }: ArchiveReader): string {
  return kind === 'folder' ? path : dirname(path);
}
