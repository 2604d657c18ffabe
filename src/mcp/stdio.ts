import type { Readable, Writable } from 'node:stream';
import type { Session } from '../domain/session.ts';
import { type ClientAccess, type DoorParts, openConnection } from './connection.ts';
import { createFramer } from './framing.ts';
import { createLineWriter } from './line-writer.ts';

export interface StdioOptions extends ClientAccess {
  input: Readable;
  output: Writable;
  /** Aborted when the process is asked to end. */
  stop: AbortSignal;
  /** The session goes on in another process when this one is asked to end. */
  outlivesProcess?: boolean;
  /** A session that an earlier process held. */
  restored?: Session;
  /** The last event that the client of that session was told of. */
  lastNotified?: number;
  /**
   * A line for a process in between that tells it that the client has been told of everything up to this event. It goes out
   * together with what the client is told: were it ahead, what is lost in between would not be told again.
   */
  notifiedLine?(number: number): string;
  /** The client has a session now. */
  onSession?(session: Session): void;
}

/** Why a client is served no longer: it went, it asked for the end, it was cut off, or this process was asked to end. */
export type StreamsEnd = 'client' | 'shutdown' | 'connection lost' | 'stopped';

/** A client that reads nothing is not listened to beyond this: its answers would fill our memory. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * Serves one client on two byte streams. Resolves when the client is gone, has asked for the end or `stop` says so,
 * and everything in flight has been answered.
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

  const framer = createFramer(parts.limits.maxLineBytes, (frame) => {
    if (frame.kind === 'message') return wire.receive(frame.message);
    if (frame.kind === 'malformed') return wire.refuse(null, { code: -32700, message: 'Parse error: no valid JSON.' });
    return wire.refuse(frame.id, {
      code: -32600,
      message: `Invalid Request: a line may have at most ${parts.limits.maxLineBytes} bytes.`,
      data: { code: 'TOO_LARGE' },
    });
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
  // A socket on which somebody said hello first was stopped after that.
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
