export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Write = (fields: Record<string, unknown>, message: string) => void;

/** What a room needs of the log; `createLog` makes one on pino. */
export interface Log {
  trace: Write;
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  child(fields: Record<string, unknown>): Log;
}
