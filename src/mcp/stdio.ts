import type { Readable, Writable } from 'node:stream';
import type { Session } from '../domain/session.ts';
import { createFramer } from '../lib/framing.ts';
import { type ClientAccess, type DoorParts, openConnection } from './connection.ts';
import { createLineWriter } from './line-writer.ts';

export interface StdioOptions extends ClientAccess {
  input: Readable;
  output: Writable;
  /** Aborted when the process should end. */
  stop: AbortSignal;
  /** The session continues in another process when this one ends. */
  outlivesProcess?: boolean;
  /** A session of an earlier process. */
  restored?: Session;
  /** The last event that the client of that session was notified of. */
  lastNotified?: number;
  /**
   * A control line for the shim: the client has been notified of everything up to this event. It is written together
   * with the notification: if it were sent earlier, a notification lost on the way would not be repeated.
   */
  notifiedLine?(number: number): string;
  /** The client has a session now. */
  onSession?(session: Session): void;
}

/** Why serving ended: the client closed its input, requested a shutdown, lost its connection, or this process ends. */
export type StreamsEnd = 'client' | 'shutdown' | 'connection lost' | 'stopped';

/** Input is paused while a client has more unread answers: they would fill our memory. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * Serves one client on two byte streams. Resolves when the client has disconnected, has requested a shutdown, or
 * `stop` is aborted, and every running request has been answered.
 */
export async function serveStreams(parts: DoorParts, options: StdioOptions): Promise<StreamsEnd> {
  const { input, output, stop, notifiedLine } = options;
  const over = Promise.withResolvers<StreamsEnd>();
  const writer = createLineWriter(output, () => {
    wire.abandon();
    over.resolve('connection lost');
  });
  const connection = openConnection(parts, {
    ...options,
    transport: 'stdio',
    write: (message, _, settle) => writer.write(message, settle),
    ...(notifiedLine ? { onNotified: (number) => writer.add(notifiedLine(number)) } : {}),
    onShutdown: () => over.resolve('shutdown'),
  });
  const { wire } = connection;

  const framer = createFramer({
    maxLineBytes: parts.limits.maxLineBytes,
    // The client would take a refusal with the id of its answer for the answer to its own request.
    idOf: 'request',
    onFrame(frame) {
      if (frame.kind === 'message') return wire.receive(frame.message);
      if (frame.kind === 'malformed')
        return wire.refuse(null, { code: -32700, message: 'Parse error: no valid JSON.' });
      return wire.refuse(frame.id, {
        code: -32600,
        message: `Invalid Request: a line may have at most ${parts.limits.maxLineBytes} bytes.`,
        data: { code: 'TOO_LARGE' },
      });
    },
  });

  let listening = true;
  const onData = (chunk: Buffer) => {
    framer.push(chunk);
    if (writer.unread() <= MAX_UNREAD_BYTES) return;
    input.pause();
    void writer.caughtUp().then(() => listening && input.resume());
  };
  const onEnd = () => {
    framer.end();
    over.resolve('client');
  };
  const onStop = () => over.resolve('stopped');
  input.on('data', onData).once('end', onEnd).once('error', onEnd).once('close', onEnd);
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  // A socket is paused after its hello.
  input.resume();

  const reason = await over.promise;
  listening = false;
  input.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
  stop.removeEventListener('abort', onStop);
  if (reason === 'stopped' && options.outlivesProcess) await connection.suspend();
  else await connection.close(reason === 'stopped' ? 'shutdown' : reason);
  await writer.flushed();
  return reason;
}
