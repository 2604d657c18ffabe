/** The exports of other programs that can become a source. */
export const ARCHIVE_FORMATS = ['telegram', 'whatsapp', 'slack', 'discord', 'irc', 'mbox'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

/** Which number of a date such as 3/4/24 is the day, the month and the year. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The archive to read, and the source to import it into. */
export interface ImportRequest {
  format: ArchiveFormat;
  /** Absolute. */
  path: string;
  source: string;
  /** The time zone for times without one. */
  timeZone: string;
  dateOrder?: DateOrder;
  /** Patterns of log lines. */
  lineFormats?: readonly string[];
  chat?: string;
  me?: string;
  /** What a zip may unpack to; by default a limit for the sum and one for the ratio apply. */
  maxUnpackedBytes?: number;
}

export interface ImportReport {
  added: number;
  changed: number;
  known: number;
  /** How many chats there were. */
  chats: number;
  skipped: readonly { reason: string; count: number; examples: readonly string[] }[];
  /** What was written and is missing or damaged, of whatever is skipped: how much, and where the first are. */
  unread: { count: number; places: readonly string[] };
  /** What the export did not state and was assumed. */
  assumed: { timeZone?: string; dateOrder?: string; clock?: string };
}

export interface ImportHow {
  signal: AbortSignal;
  /** In bytes. */
  progress(done: number, total: number): void;
  /** Called once, when it is sure that there is something to record, and before it is. */
  begin(): Promise<void>;
}
