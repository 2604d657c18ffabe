import { AppError } from '../domain/errors.ts';

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
  /** Resolves when the text has left the process, so that nothing is cut off at exit. */
  write(text: string): Promise<void>;
  /** Whether the reader has closed it. */
  isGone?(): boolean;
}

export type Stream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

export function createOutput(stream: Stream, env: NodeJS.ProcessEnv): Output {
  // A reader may close at any time (`| head`). The write's own callback reports it; without a listener the event would
  // end the process.
  stream.on('error', () => {});
  const isTty = stream.isTTY === true;
  let gone = false;
  return {
    isGone: () => gone,
    isTty,
    width: isTty ? (stream.columns ?? 80) : undefined,
    colour: isTty && !env.NO_COLOR && env.TERM !== 'dumb',
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          gone ||= error ? isGone(error) : false;
          if (!error || gone) resolve();
          else reject(new AppError('SERVICE_UNAVAILABLE', 'The output could not be written.', { cause: error }));
        });
      }),
  };
}

/** A reader that leaves something unread resets the connection. */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

function isGone(error: NodeJS.ErrnoException): boolean {
  return GONE.has(error.code ?? '');
}
