import { dirname } from 'node:path';
import type { DateOrder } from '../../../domain/archive.ts';
import { createLocalClock, type LocalTime } from '../../../lib/local-time.ts';
import type { EntryLine } from '../entry-lines.ts';
import { entryText } from '../entry-text.ts';
import { type ImportInput, type ImportItem, MAX_MESSAGE, type SkipReason, whereIn } from '../importer.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { toGregorian } from './calendar.ts';
import { createConverter } from './convert.ts';
import { dayOf } from './date-order.ts';
import { hourOf24 } from './day-halves.ts';
import { type Header, parseHeader } from './header.ts';
import { describeParty } from './sender.ts';
import type { Findings } from './survey.ts';

export interface ChatReader {
  accept(line: EntryLine): readonly ImportItem[];
  /** Ends the last message, which no header follows, and the chat. */
  end(): readonly ImportItem[];
}

interface Pending {
  line: number;
  at: number;
  local: LocalTime;
  lines: string[];
  /** Text beyond the limit is dropped. */
  length: number;
}

/** Joins the lines of a chat to messages: a message continues until the next header. */
export function createChatReader(
  entry: ArchiveEntry,
  findings: Findings,
  order: DateOrder,
  { archive, timeZone, options }: ImportInput,
): ChatReader {
  const toInstant = createLocalClock(timeZone);
  const party = describeParty(entry, archive, findings, options);
  const folder = dirname(entry.name);
  const convert = createConverter(
    party,
    // Those of other chats may have the same names.
    archive.entries.filter(({ name }) => dirname(name) === folder),
  );
  let pending: Pending | undefined;
  let last = Number.NEGATIVE_INFINITY;

  function begin({ number }: EntryLine, text: string): Pending | undefined {
    const header = parseHeader(text);
    if (header?.shape !== findings.shape) return undefined;
    const local = localTime(header);
    const at = local && toInstant(local, last);
    // A header with an impossible date is part of a message.
    if (!local || at === undefined) return undefined;
    last = Math.max(last, at);
    return { line: number, at, local, lines: [header.rest], length: header.rest.length };
  }

  function localTime({ date, hour, minute, second, words }: Header): LocalTime | undefined {
    const day = toGregorian(dayOf(date, order));
    return day && { ...day, hour: hourOf24(hour, findings.halfOf(words)), minute, second };
  }

  function finish(): readonly ImportItem[] {
    if (!pending) return [];
    const { line, at, local, lines, length } = pending;
    pending = undefined;
    if (length > MAX_MESSAGE) return skip('too_large', line);
    return convert({ at, local, text: lines.join('\n') }).map((event) => ({ kind: 'event', event }));
  }

  function skip(why: SkipReason, line: number): readonly ImportItem[] {
    return [{ kind: 'skipped', why, where: whereIn(entry.name, line) }];
  }

  function goOn(message: Pending, text: string, isTooLong: boolean): void {
    message.length += isTooLong ? MAX_MESSAGE + 1 : text.length + 1;
    if (message.length <= MAX_MESSAGE) message.lines.push(text);
    else message.lines = [];
  }

  return {
    accept(line) {
      const text = entryText(line.bytes);
      const next = begin(line, text);
      if (next) {
        const finished = finish();
        pending = next;
        return finished;
      }
      if (pending) goOn(pending, text, line.isTooLong);
      else if (text.trim() !== '' || line.isTooLong) return skip('preamble', line.number);
      return [];
    },
    end: () => [...finish(), { kind: 'event', event: { kind: 'chat', chat: party.chat } }],
  };
}
