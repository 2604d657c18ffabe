import type { Socket } from 'node:net';
import { AppError, toAppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { createLineCutter } from '../lib/lines.ts';
import { nameOf, type Operation, type OperationContext } from '../operation.ts';

/** What a command line asks the daemon to do, one line of JSON. */
export interface CallLine {
  operation: string;
  input: unknown;
}

/** What comes back, a line each; the last is the output or the error. */
type AnswerLine =
  | { progress: Parameters<OperationContext['progress']> }
  | { output: JsonObject }
  | { error: ReturnType<AppError['toJSON']> };

export type CallByName = (
  name: string,
  input: unknown,
  options: { signal: AbortSignal; progress: OperationContext['progress'] },
) => Promise<JsonObject>;

/** The daemon's side: runs what a command line asks for. It is cancelled when the command goes away. */
export async function answerCalls(socket: Socket, call: CallByName): Promise<void> {
  const gone = new AbortController();
  const over = Promise.withResolvers<void>();
  const write = (line: AnswerLine) => socket.write(`${JSON.stringify(line)}\n`);
  let running = 0;

  const lines = createLineCutter((line) => {
    running += 1;
    answer(line.toString('utf8')).finally(() => {
      running -= 1;
      if (running === 0 && socket.readableEnded) over.resolve();
    });
  });

  async function answer(line: string): Promise<void> {
    try {
      const { operation, input } = JSON.parse(line) as CallLine;
      const output = await call(operation, input, {
        signal: gone.signal,
        progress: (...progress) => write({ progress }),
      });
      write({ output });
    } catch (thrown) {
      write({ error: toAppError(thrown).toJSON() });
    }
  }

  socket.on('data', (chunk: Buffer) => lines.push(chunk));
  socket.once('end', () => running === 0 && over.resolve());
  socket.once('close', () => {
    gone.abort();
    over.resolve();
  });
  socket.resume();
  await over.promise;
}

/** The command's side: asks a daemon it is attached to, and waits for the answer. */
export function askDaemon(
  socket: Socket,
  operation: Operation,
  input: unknown,
  progress: OperationContext['progress'],
  signal: AbortSignal,
): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  const lines = createLineCutter((line) => {
    const answer = JSON.parse(line.toString('utf8')) as AnswerLine;
    if ('progress' in answer) return progress(...answer.progress);
    if ('output' in answer) return resolve(answer.output);
    const { code, message, field, hint } = answer.error;
    reject(new AppError(code, message, { field, hint }));
  });
  const onAbort = () => socket.destroy();
  socket.on('data', (chunk: Buffer) => lines.push(chunk));
  socket.once('close', () =>
    reject(
      signal.aborted
        ? new AppError('TIMEOUT', 'The call was cancelled.')
        : new AppError('SERVICE_UNAVAILABLE', 'The daemon ended while this ran; whether it took effect is not known.'),
    ),
  );
  signal.addEventListener('abort', onAbort, { once: true });
  socket.end(`${JSON.stringify({ operation: nameOf(operation), input })}\n`);
  socket.resume();
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  });
}
