import type { InboundEvent } from '../../domain/chat.ts';
import type { Host } from '../connector.ts';
import type { KnownChats } from './chats.ts';
import { type BeeperClient, BeeperError } from './client.ts';
import { toInbound } from './convert.ts';
import { type BeeperMessage, type LiveEvent, readChat, readMessage } from './schema.ts';

interface LiveParts {
  client: BeeperClient;
  chats: KnownChats;
  host: Host;
  signal: AbortSignal;
  /** A chat has been added. */
  onChat(id: string): void;
}

/** Passes events of Beeper on. Events without their messages are completed by requests, so they wait for each other. */
export function createLive({ client, chats, host, signal, onChat }: LiveParts) {
  let turn: Promise<void> = Promise.resolve();

  async function messagesOf({ chatID = '', ids, entries }: LiveEvent): Promise<BeeperMessage[]> {
    if (entries) return entries.flatMap((entry) => readMessage(entry) ?? []);
    const found: BeeperMessage[] = [];
    for (const id of ids) {
      const message = await messageOf(client, chatID, id, signal);
      if (message) found.push(message);
    }
    return found;
  }

  async function takeMessage(message: BeeperMessage): Promise<void> {
    const { chatID, sortKey } = message;
    if (!chats.chat(chatID) && (await chats.find(chatID, signal))) onChat(chatID);
    const events = toInbound(message, chats);
    // Not waited for: they are stored in this order, and fetched again if they are not.
    if (events.length > 0) void host.accept(events, { timeline: chatID, cursor: sortKey });
  }

  async function take(event: LiveEvent): Promise<void> {
    const { type, chatID = '', ids, entries = [] } = event;
    if (type === 'message.upserted') for (const message of await messagesOf(event)) await takeMessage(message);
    if (type === 'message.deleted' && ids.length > 0) {
      const at = host.clock.now();
      void host.accept(ids.map((message): InboundEvent => ({ kind: 'delete', chat: chatID, message, at })));
    }
    if (type !== 'chat.upserted') return;
    for (const chat of entries.flatMap((entry) => readChat(entry) ?? [])) {
      const isNew = !chats.chat(chat.id);
      void host.accept([{ kind: 'chat', chat: chats.learn(chat) }]);
      if (isNew) onChat(chat.id);
    }
  }

  return {
    /** Rejections end the connection. */
    take(event: LiveEvent, fail: (error: unknown) => void): void {
      turn = turn.then(() => take(event)).catch(fail);
    },
    settled: () => turn,
  };
}

/** A message by its id, also by the one that it had while it was sent; undefined if there is none. */
export async function messageOf(
  { ask }: BeeperClient,
  chat: string,
  id: string,
  signal?: AbortSignal,
): Promise<BeeperMessage | undefined> {
  try {
    return readMessage(await ask({ path: ['chats', chat, 'messages', id], ...(signal ? { signal } : {}) }));
  } catch (error) {
    if (error instanceof BeeperError && error.status === 404) return undefined;
    throw error;
  }
}
