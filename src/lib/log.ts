import { cleanFields } from './log-fields.ts';
import { prettyLine } from './log-pretty.ts';
import { isTerminal, openStderr, stderrDrained, writeToStderr } from './stderr.ts';
import { escapedJson } from './visible.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
type LineLevel = Exclude<LogLevel, 'silent'>;

type Write = (fields: Record<string, unknown>, message: string) => void;

/** The log as the other modules use it; `createLog` creates one on pino. */
export interface Log {
  trace: Write;
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  child(fields: Record<string, unknown>): Log;
}

/** The log of the whole program; its level holds for every child too. */
export interface RootLog extends Log {
  setLevel(level: LogLevel): void;
  setFormat(format: LogFormat): void;
  /** Resolves when everything written has left the process, or the reader has closed. */
  flush(): Promise<void>;
}

type LogFormat = 'json' | 'pretty';

interface LogOptions {
  level?: LogLevel;
  format?: LogFormat;
  /** Masks known secrets in a text. */
  mask?: (text: string) => string;
  /** The destination of lines, with their newlines: standard error. */
  write?: (line: string) => void;
}

interface Entry {
  at: number;
  level: LineLevel;
  fields: Record<string, unknown>;
  message: string;
}

const SERVICE = 'switchboard';

/**
 * Loads pino when there is something to write, and queues lines until it is loaded: a process that logs nothing does
 * not pay for it. Nothing is lost when the process ends before.
 */
export function createLog({
  level = 'info',
  format = 'json',
  mask = (text) => text,
  write = writeToStderr,
}: LogOptions = {}): RootLog {
  let lowest = LOG_LEVELS.indexOf(level);
  let shape = format;
  const waiting: Entry[] = [];
  let emit: ((entry: Entry) => void) | undefined;
  let loading: Promise<void> | undefined;

  const output = (line: string) =>
    write(mask(shape === 'pretty' ? prettyLine(line, write === writeToStderr && isTerminal()) : jsonLine(line)));
  const plain = (entry: Entry) => output(`${JSON.stringify(recordOf(entry))}\n`);
  const flushPlain = () => waiting.splice(0).forEach(plain);

  async function load(): Promise<void> {
    process.once('exit', flushPlain);
    if (write === writeToStderr) openStderr();
    emit = await pinoEmitter(output).catch(() => plain);
    process.removeListener('exit', flushPlain);
    waiting.splice(0).forEach(emit);
  }

  function put(entry: Entry): void {
    if (emit) return emit(entry);
    waiting.push(entry);
    loading ??= load();
  }

  function create(bindings: Record<string, unknown>): Log {
    const at =
      (lineLevel: LineLevel): Write =>
      (fields, message) => {
        if (LOG_LEVELS.indexOf(lineLevel) < lowest) return;
        const options = { mask, withStack: lowest <= LOG_LEVELS.indexOf('debug') };
        put({
          at: Date.now(),
          level: lineLevel,
          fields: cleanFields({ ...bindings, ...fields }, options),
          message: mask(message),
        });
      };
    return {
      trace: at('trace'),
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => create({ ...bindings, ...fields }),
    };
  }

  return {
    ...create({}),
    setLevel(next) {
      lowest = LOG_LEVELS.indexOf(next);
    },
    setFormat(next) {
      shape = next;
    },
    flush: async () => {
      await loading;
      await stderrDrained();
    },
  };
}

function jsonLine(line: string): string {
  return `${escapedJson(line.trimEnd())}\n`;
}

async function pinoEmitter(output: (line: string) => void): Promise<(entry: Entry) => void> {
  const { pino } = await import('pino');
  let now = 0;
  const logger = pino(
    {
      level: 'trace',
      base: { service: SERVICE },
      timestamp: () => `,"time":"${new Date(now).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are already plain data; pino's own serializer would convert them again.
      serializers: { err: (error) => error },
    },
    { write: output },
  );
  return ({ at, level, fields, message }) => {
    now = at;
    logger[level](fields, message);
  };
}

/** The same line as pino writes, for a process that ends before pino is loaded. */
function recordOf({ at, level, fields, message }: Entry): Record<string, unknown> {
  return { level, time: new Date(at).toISOString(), service: SERVICE, ...fields, msg: message };
}

const OF_PROTOCOL: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Our level for one of MCP's (`logging/setLevel`); undefined if it is unknown. */
export function logLevelOf(protocolLevel: string): LogLevel | undefined {
  return Object.hasOwn(OF_PROTOCOL, protocolLevel) ? OF_PROTOCOL[protocolLevel] : undefined;
}
