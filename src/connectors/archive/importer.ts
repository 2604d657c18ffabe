import type { ArchiveFormat, DateOrder } from '../../domain/archive.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import type { ArchiveReader } from './open-archive.ts';

/** Reads the exports of one program. */
export interface Importer {
  format: ArchiveFormat;
  /**
   * Everything the export holds, in the order of each chat, oldest first; the same export gives the same again. What
   * cannot be read is skipped and said. Throws an AppError where nothing can be read at all, and nothing else.
   */
  read(input: ImportInput): AsyncIterable<ImportItem>;
}

export interface ImportInput {
  archive: ArchiveReader;
  /** The importer stops with the reason of this signal. */
  signal: AbortSignal;
  /** Where times without a zone were written: an IANA name that is known to be valid. */
  timeZone: string;
  options: ImportOptions;
}

/** What the user says because the export does not. */
export interface ImportOptions {
  /** The name of the chat, where the export is one chat without a name. */
  chat?: string;
  dateOrder?: DateOrder;
  /** The name or id of the user among the senders: those messages are their own. */
  me?: string;
}

export type ImportItem =
  | { kind: 'event'; event: InboundEvent }
  /** `where`: the file and the line or id; made by `whereIn`. */
  | { kind: 'skipped'; why: SkipReason; where: string }
  /** What the export does not say and was taken to be so. Said once. */
  | { kind: 'assumed'; what: 'time_zone' | 'date_order'; value: string }
  /** How far it is, in bytes of what is read. */
  | { kind: 'progress'; done: number; total: number };

/** Why something of an export is not in the source afterwards. */
export const SKIP_REASONS = {
  malformed: 'It is not written as this format is.',
  unsupported: 'The program that wrote the export could not export it.',
  too_large: 'It is larger than any message.',
  no_time: 'It does not say when it was written.',
  no_id: 'It has no id.',
  no_chat: 'It does not say in which chat it was written.',
  cut_off: 'The export ends in the middle of it.',
  preamble: 'It stands before the first message.',
  not_a_chat: 'It is a file that holds no messages.',
  presence: 'Somebody came, went or was given rights, and nobody said anything.',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** As much of a message as is kept in memory: nobody writes this much. */
export const MAX_MESSAGE = 4 * 1024 * 1024;

/** A place in an export, for people. File names are written by strangers, so they are kept short and on one line. */
export function whereIn(file: string, place?: string | number): string {
  const name = [...file.replaceAll(/\p{C}+/gu, ' ')].slice(-MAX_CHARACTERS).join('');
  return place === undefined
    ? name
    : `${name}:${String(place)
        .replaceAll(/\p{C}+/gu, ' ')
        .slice(0, MAX_CHARACTERS)}`;
}

const MAX_CHARACTERS = 120;
