import type { ResourceUpdate } from '../capability.ts';
import { CHAT_TYPES } from '../domain/chat.ts';
import { AppError } from '../domain/errors.ts';
import type { StoredEvent } from '../domain/event-log.ts';
import { findChats, findOneChat, knownSource, type LookupParts, sanitize } from './lookup.ts';
import { encoded, MESSAGES, messagesUri } from './message-uri.ts';

/** Filters of a subscription's query with their valid values; an empty list allows any value. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  sender: [],
  chat: [],
  chat_type: CHAT_TYPES,
  type: ['message.received', 'message.edited', 'message.deleted', 'message.reaction'],
  own: ['true', 'false'],
};

/**
 * The URIs to follow for a subscription to `messages://{source}/{chat}`; a star means any. A chat that is given by its name is
 * followed by its id, which does not change when the chat is renamed.
 */
export async function subscribeToMessages(uri: string, parts: LookupParts): Promise<readonly string[]> {
  const { source, chat, query } = partsOf(uri);
  checkFilters(query);
  const ending = query === '' ? '' : `?${query}`;
  if (source !== '*') await checkStreams(parts, source);
  if (chat === '*') return [`${MESSAGES}${source === '*' ? '*' : encoded(source)}/*${ending}`];
  const chats = source === '*' ? await findChats(parts, chat) : [await findOneChat(parts, chat, source)];
  return chats.map((found) => `${messagesUri(found.source, found.id)}${ending}`);
}

/** The resource that an event changes: the messages of a chat. */
export function messageUpdates({ type, data }: StoredEvent): readonly ResourceUpdate[] {
  const { source, chat_id: id, chat, chat_type: chatType, sender, sender_id: senderId, own } = data;
  if (!type.startsWith('message.') || typeof source !== 'string' || typeof id !== 'string') return [];
  const texts = (...values: unknown[]) => values.filter((value) => typeof value === 'string');
  return [
    {
      uri: messagesUri(source, id),
      fields: {
        type,
        chat: texts(chat, id),
        chat_type: texts(chatType),
        sender: texts(sender, senderId),
        own: String(own === true),
      },
      data: { type, ...data },
    },
  ];
}

function partsOf(uri: string): { source: string; chat: string; query: string } {
  const [path = '', ...rest] = uri.slice(MESSAGES.length).split('?');
  const [source = '', chat = '*'] = path.split('/').map(decoded);
  return { source, chat, query: rest.join('?') };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('The URI has a broken percent-encoding.');
  }
}

/** Refuses a filter that no event can match: the client would never be notified. */
function checkFilters(query: string): void {
  for (const [name, value] of new URLSearchParams(query)) {
    const valid = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (!valid) {
      throw invalid(
        `A subscription cannot be filtered by ${sanitize(name)}. Valid: ${Object.keys(FILTERS).join(', ')}.`,
      );
    }
    if (value === '' || (valid.length > 0 && !valid.includes(value.toLowerCase()))) {
      const what = valid.length > 0 ? `one of ${valid.join(', ')}` : 'a whole name or an id';
      throw invalid(`${name} in a subscription must be ${what}.`);
    }
  }
}

function invalid(message: string): AppError {
  return new AppError('INVALID_PARAMETER', message, { field: 'uri' });
}

async function checkStreams({ sources }: LookupParts, id: string): Promise<void> {
  const source = await knownSource(sources, id);
  if (source.canStream) return;
  throw new AppError(
    'STREAMING_NOT_SUPPORTED',
    `Source '${id}' does not support streaming: nothing new arrives in it by itself.`,
    { field: 'uri', hint: 'Read it with get_messages instead.' },
  );
}
