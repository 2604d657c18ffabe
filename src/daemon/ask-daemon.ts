import type { Socket } from 'node:net';
import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { createLineCutter } from '../lib/lines.ts';
import { nameOf, type Operation, type OperationContext } from '../operation.ts';
import type { AnswerLine, CallLine, StreamEnd } from './call-lines.ts';

/** Sends a call to the daemon on this connection, and waits for the answer. Aborting the signal cancels it in the daemon. */
export function askDaemon(
  socket: Socket,
  operation: string,
  input: unknown,
  progress: OperationContext['progress'],
  signal: AbortSignal,
): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  const lines = createLineCutter((line) => {
    const answer = JSON.parse(line.toString('utf8')) as AnswerLine;
    if ('progress' in answer) progress(...answer.progress);
    else if ('output' in answer) resolve(answer.output);
    else if ('error' in answer) reject(errorIn(answer));
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
  if (signal.aborted) onAbort();
  // Our end remains open: by its closing the daemon detects that this process has exited, and cancels the call.
  socket.write(lineOf({ operation, input, keepsOpen: true }));
  // The daemon answers before it closes its end.
  socket.once('end', () => socket.destroy());
  socket.resume();
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  });
}

/**
 * Requests a stream and passes on its items, one at a time, until it ends. `lost` if the connection broke without a
 * message. Aborting the signal closes the connection, which ends the stream in the daemon.
 */
export async function followDaemon(
  socket: Socket,
  operation: Operation,
  input: unknown,
  emit: (item: JsonObject) => Promise<void>,
  signal: AbortSignal,
): Promise<StreamEnd | 'lost'> {
  let answers: AnswerLine[] = [];
  const lines = createLineCutter((line) => void answers.push(JSON.parse(line.toString('utf8')) as AnswerLine));
  const onAbort = () => socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  socket.write(lineOf({ operation: nameOf(operation), input, follow: true }));
  try {
    for await (const chunk of socket) {
      lines.push(chunk as Buffer);
      const arrived = answers;
      answers = [];
      for (const answer of arrived) {
        if ('error' in answer) throw errorIn(answer);
        if ('output' in answer) throw outdated();
        if ('end' in answer) return answer.end;
        if ('item' in answer) await emit(answer.item);
      }
    }
  } catch (thrown) {
    // The error of a broken connection adds nothing.
    if (thrown instanceof AppError) throw thrown;
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
  return 'lost';
}

function lineOf(line: CallLine): string {
  return `${JSON.stringify(line)}\n`;
}

function errorIn({ error }: Extract<AnswerLine, { error: unknown }>): AppError {
  const { code, message, field, hint, upstream } = error;
  return new AppError(code, message, { field, hint, upstream });
}

function outdated(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The running daemon is of an older version and cannot be followed.', {
    hint: 'Start it again with this version.',
  });
}
