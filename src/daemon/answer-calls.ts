import { once } from 'node:events';
import type { Socket } from 'node:net';
import { toAppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { createLineCutter } from '../lib/lines.ts';
import type { OperationContext } from '../operation.ts';
import type { AnswerLine, CallLine } from './call-lines.ts';

/** Runs operations by name. */
export interface Calls {
  call(
    name: string,
    input: unknown,
    options: { signal: AbortSignal; progress: OperationContext['progress'] },
  ): Promise<JsonObject>;
  /** Resolves when the stream has ended, which it does when the signal is aborted. */
  follow(
    name: string,
    input: unknown,
    options: { signal: AbortSignal; emit: (output: JsonObject) => Promise<void> },
  ): Promise<void>;
}

export interface Ending {
  /** Aborted when the daemon ends. */
  signal: AbortSignal;
  /** How long followers wait for another daemon before they start one. */
  handoverMs(): number;
}

/**
 * Answers the calls of a command on its connection. A call is cancelled when the command disconnects. Commands of older versions
 * close their end of the connection as soon as they have sent a call, and wait for the answer.
 */
export async function answerCalls(socket: Socket, calls: Calls, ending: Ending): Promise<void> {
  const gone = new AbortController();
  /** The command has closed its end of the connection. */
  const closed = new AbortController();
  const over = Promise.withResolvers<void>();
  let running = 0;
  /** A call that keeps the connection open is the only one on it. A command that is suspended does not close its end. */
  let isOnly = false;

  const lines = createLineCutter((line) => {
    running += 1;
    answer(line.toString('utf8')).finally(() => {
      running -= 1;
      if (running === 0 && (isOnly || socket.readableEnded)) over.resolve();
    });
  });

  async function answer(line: string): Promise<void> {
    try {
      const { operation, input, follow = false, keepsOpen = follow } = JSON.parse(line) as CallLine;
      isOnly = keepsOpen;
      const signal = keepsOpen ? AbortSignal.any([gone.signal, closed.signal]) : gone.signal;
      if (follow) return await stream(operation, input, AbortSignal.any([signal, ending.signal]));
      const progress: OperationContext['progress'] = (...report) => void write(socket, { progress: report });
      write(socket, { output: await calls.call(operation, input, { signal, progress }) });
    } catch (thrown) {
      write(socket, { error: toAppError(thrown).toJSON() });
    }
  }

  async function stream(operation: string, input: unknown, signal: AbortSignal): Promise<void> {
    await calls.follow(operation, input, { signal, emit: (item) => writeInTime(socket, { item }, signal) });
    write(socket, { end: ending.signal.aborted ? { handoverMs: ending.handoverMs() } : {} });
  }

  socket.on('data', (chunk: Buffer) => lines.push(chunk));
  socket.once('end', () => {
    closed.abort();
    if (running === 0) over.resolve();
  });
  socket.once('close', () => {
    gone.abort();
    over.resolve();
  });
  socket.resume();
  await over.promise;
}

function write(socket: Socket, line: AnswerLine): boolean {
  return socket.write(`${JSON.stringify(line)}\n`);
}

/** Resolves when the reader has caught up, so that a slow one pauses the stream and nothing accumulates. */
async function writeInTime(socket: Socket, line: AnswerLine, signal: AbortSignal): Promise<void> {
  if (write(socket, line) || signal.aborted) return;
  await once(socket, 'drain', { signal }).catch(() => {});
}
