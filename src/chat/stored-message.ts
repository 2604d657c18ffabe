import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import { untilFound } from '../lib/until-found.ts';
import type { ChatStore, MessageStore, StoredMessage } from './ports.ts';

/** How long a caller waits until a sent message is stored, which the network's echo causes. */
const ECHO_MS = 2_000;

export interface StoredMessageParts {
  chats: Pick<ChatStore, 'resolve'>;
  messages: Pick<MessageStore, 'byExternalId'>;
  /** `EventLog.listen`, once the store is open. */
  listen(listener: Parameters<EventLog['listen']>[0]): Promise<() => void>;
}

/** The message with the network's id `externalId`, as soon as it is stored; undefined after the timeout. */
export async function storedMessage(
  { chats, messages, listen }: StoredMessageParts,
  { source, chat: chatId, externalId }: { source: string; chat: string; externalId: string },
  signal: AbortSignal,
): Promise<StoredMessage | undefined> {
  async function look(): Promise<StoredMessage | undefined> {
    const chat = (await chats.resolve([source], chatId)).find(({ id }) => id === chatId);
    return chat && messages.byExternalId(chat.key, externalId);
  }

  const isOfChat = ({ type, data }: StoredEvent) =>
    type.startsWith('message.') && data.source === source && data.chat_id === chatId;
  return untilFound(
    look,
    (notify) => listen((events) => void (events.some(isOfChat) && notify())),
    AbortSignal.any([signal, AbortSignal.timeout(ECHO_MS)]),
  );
}
