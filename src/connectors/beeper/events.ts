import { once } from 'node:events';
import { withDeadline } from '../../lib/deadline.ts';
import { type BeeperClient, baseOf } from './client.ts';
import { type LiveEvent, readLiveEvent } from './schema.ts';

const CONNECT_MS = 15_000;

/** Events of all chats. */
export interface EventStream {
  /** Resolves with the reason when the connection is lost. */
  ended: Promise<Error>;
  close(): void;
}

/** The WebSocket of Node can send headers; the standard that its type is of has none. */
const Socket = WebSocket as unknown as new (url: string, options: { headers: Record<string, string> }) => WebSocket;

/** Opens the stream of events; resolves when all chats are subscribed to. */
export async function openEvents(
  { url, token }: BeeperClient,
  onEvent: (event: LiveEvent) => void,
  signal: AbortSignal,
): Promise<EventStream> {
  const address = `${baseOf(url).replace(/^http/, 'ws')}/v1/ws`;
  const socket = new Socket(address, { headers: { authorization: `Bearer ${token}` } });
  const ended = Promise.withResolvers<Error>();
  const subscribed = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => {
    const event = readLiveEvent(parsed(data));
    if (event?.type === 'subscriptions.updated') subscribed.resolve();
    else if (event) onEvent(event);
  });
  socket.addEventListener('close', () => ended.resolve(new Error('Beeper closed the connection')));
  socket.addEventListener('error', () => ended.resolve(new Error('The connection to Beeper failed')));
  void ended.promise.then(subscribed.reject);
  try {
    await withDeadline(
      CONNECT_MS,
      signal,
      () => new Error('Beeper did not answer in time.'),
      async (each) => {
        await Promise.race([once(socket, 'open', { signal: each }), subscribed.promise]);
        socket.send(JSON.stringify({ type: 'subscriptions.set', requestID: 'all', chatIDs: ['*'] }));
        await subscribed.promise;
      },
    );
  } catch (error) {
    socket.close();
    throw error;
  }
  return { ended: ended.promise, close: () => socket.close() };
}

function parsed(data: unknown): unknown {
  try {
    return typeof data === 'string' ? JSON.parse(data) : undefined;
  } catch {
    return undefined;
  }
}
