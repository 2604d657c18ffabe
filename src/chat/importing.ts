import type { ArchiveFormat, DateOrder } from '../domain/archive.ts';

/** What is to be read, and into which source. */
export interface ImportRequest {
  format: ArchiveFormat;
  /** Absolute. */
  path: string;
  source: string;
  /** Where times without a zone were written. */
  timeZone: string;
  dateOrder?: DateOrder;
  chat?: string;
  me?: string;
}

export interface ImportReport {
  added: number;
  changed: number;
  known: number;
  /** How many chats there were. */
  chats: number;
  skipped: readonly { reason: string; count: number; examples: readonly string[] }[];
  /** What the export did not say and was taken to be so. */
  assumed: { timeZone?: string; dateOrder?: string };
}

export interface ImportHow {
  signal: AbortSignal;
  /** In bytes. */
  progress(done: number, total: number): void;
  /** Called once, when it is sure that there is something to record, and before it is. */
  begin(): Promise<void>;
}

/** Reads exports of other programs into the store. What was recorded stays, however it ends; the same again adds what is missing. */
export interface Imports {
  run(request: ImportRequest, how: ImportHow): Promise<ImportReport>;
  /** Whether something is being read into this source. */
  isRunning(source: string): Promise<boolean>;
}
