import type { ArchiveFormat, DateOrder } from '../../domain/archive.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import type { ArchiveReader } from './open-archive.ts';

/** Reads exports of one program. */
export interface Importer {
  format: ArchiveFormat;
  /**
   * All content of the export, oldest first per chat; the same export always gives the same result. Unreadable
   * entries are reported as skipped. Throws only an AppError, and only if nothing can be read.
   */
  read(input: ImportInput): AsyncIterable<ImportItem>;
}

export interface ImportInput {
  archive: ArchiveReader;
  /** Aborts the import. */
  signal: AbortSignal;
  /** Zone of timestamps that have none: a valid IANA name. */
  timeZone: string;
  options: ImportOptions;
}

/** Options that the user gives because the export does not contain them. */
export interface ImportOptions {
  /** Name of the chat, if the export is a single chat without a name. */
  chat?: string;
  dateOrder?: DateOrder;
  /** How the lines of a log are written, if they are in no format that is known. */
  lineFormats?: readonly string[];
  /** Name or id of the user among the senders; these messages are marked as own. */
  me?: string;
}

export type ImportItem =
  | { kind: 'event'; event: InboundEvent }
  /** `where`: file and line or id; made by `whereIn`. */
  | { kind: 'skipped'; why: SkipReason; where: string }
  /** An assumption that the export does not confirm. Reported once. */
  | { kind: 'assumed'; what: 'time_zone' | 'date_order' | 'clock'; value: string }
  /** Progress in bytes read. */
  | { kind: 'progress'; done: number; total: number };

/** Why an entry of an export was not imported. */
export const SKIP_REASONS = {
  malformed: 'It is not written as this format is.',
  unknown_format: 'Most lines of the file are in no format that is known (--format).',
  unsupported: 'The program that wrote the export could not export it.',
  too_large: 'It is larger than any message.',
  no_time: 'It does not say when it was written.',
  date_order: 'Its dates can be read in more than one way: import it alone with --date-order.',
  no_id: 'It has no id.',
  no_chat: 'It does not say in which chat it was written.',
  missing_page: 'The export goes on in a file that is not here: give its folder.',
  cut_off: 'The export ends in the middle of it.',
  preamble: 'It stands before the first message.',
  not_a_chat: 'It is a file that holds no messages.',
  presence: 'Joins, leaves and changes of rights, without a message.',
  undecoded: 'Some of its characters could not be decoded; the rest was imported.',
  packed: 'It is packed in a way that is not read: unpack it.',
  unreadable: 'The file could not be read to its end; what comes before was imported.',
  no_access: 'It may not be read.',
  link: 'It is a symbolic link that leads out of the folder, or nowhere.',
  harmful: 'It would unpack to far more than an export holds (--max-unpacked).',
  too_deep: 'It is nested too deeply.',
  unsafe_name: 'Its name leads out of the archive, or is far too long.',
  sent: 'It lies with the files of a chat, so that anyone may have sent it there: give it alone to import it.',
  packed_twice: 'The same file lies beside it, unpacked.',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** Nothing is lost by these; by every other reason something that was written is missing. */
const WITHOUT_LOSS: ReadonlySet<SkipReason> = new Set([
  'unsupported',
  'not_a_chat',
  'presence',
  'sent',
  'packed_twice',
]);

export function isLoss(why: SkipReason): boolean {
  return !WITHOUT_LOSS.has(why);
}

/** Maximum length of a message; longer ones are truncated. */
export const MAX_MESSAGE = 4 * 1024 * 1024;

/** A position in an export, for display. File names are untrusted, so they are shortened and put on one line. */
export function whereIn(file: string, place?: string | number): string {
  const name = [...file.replaceAll(/\p{C}+/gu, ' ')].slice(-MAX_CHARACTERS).join('');
  return place === undefined
    ? name
    : `${name}:${String(place)
        .replaceAll(/\p{C}+/gu, ' ')
        .slice(0, MAX_CHARACTERS)}`;
}

const MAX_CHARACTERS = 120;
