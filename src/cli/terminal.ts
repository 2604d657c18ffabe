import { AppError } from '../domain/errors.ts';
import { visibleText } from '../lib/visible.ts';

/** The streams and settings of a command. */
export interface Terminal {
  /** Opened only when it is read. */
  stdin(): Stdin;
  out: Output;
  err: Output;
  /** `--json`: one line for programs instead of text for people. */
  json: boolean;
}

export type Stdin = NodeJS.ReadableStream & { isTTY?: boolean };

export interface Output {
  isTty: boolean;
  /** Columns of the terminal; none when the output is a file or a pipe. */
  width: number | undefined;
  colour: boolean;
  /**
   * Resolves when the text has left the process, so that nothing is cut off at exit. Control characters in it are
   * shown, but for line breaks, tabs and the bold type of headings.
   */
  write(text: string): Promise<void>;
  /** Unchanged: our own control sequences, and the echo of what the user types. */
  writeRaw(text: string): Promise<void>;
  /** Whether the reader has closed it. */
  isGone?(): boolean;
}

export type Stream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

interface Streams {
  stdin?: Stdin;
  stdout?: Stream;
  stderr?: Stream;
}

/** The streams of this process, unless others are given. */
export function createTerminal(given: Streams, env: NodeJS.ProcessEnv, json: boolean): Terminal {
  return {
    stdin: () => given.stdin ?? process.stdin,
    out: createOutput(given.stdout ?? process.stdout, env),
    err: createOutput(given.stderr ?? process.stderr, env),
    json,
  };
}

/** The only way to standard output and standard error of a command. */
export function createOutput(stream: Stream, env: NodeJS.ProcessEnv): Output {
  // A reader may close at any time (`| head`). The write's own callback reports it; without a listener the event would
  // end the process.
  stream.on('error', () => {});
  const isTty = stream.isTTY === true;
  const colour = isTty && !env.NO_COLOR && env.TERM !== 'dumb';
  let gone = false;
  const writeRaw = (text: string) =>
    new Promise<void>((resolve, reject) => {
      stream.write(text, (error) => {
        gone ||= error ? isGone(error) : false;
        if (!error || gone) resolve();
        else reject(new AppError('SERVICE_UNAVAILABLE', 'The output could not be written.', { cause: error }));
      });
    });
  return {
    isGone: () => gone,
    isTty,
    // A terminal that does not know its size reports none.
    width: isTty ? stream.columns || 80 : undefined,
    colour,
    write: (text) => writeRaw(colour ? withBold(text) : visibleText(text)),
    writeRaw,
  };
}

export function bold(text: string): string {
  return `\x1b[1m${text}\x1b[22m`;
}

const BOLD = /(\x1b\[1m|\x1b\[22m)/;

function withBold(text: string): string {
  const pieces = text.split(BOLD);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : visibleText(piece))).join('');
}

/** A reader that leaves something unread resets the connection. */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

function isGone(error: NodeJS.ErrnoException): boolean {
  return GONE.has(error.code ?? '');
}
