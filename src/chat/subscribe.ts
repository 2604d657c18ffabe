import type { ResourceUpdate } from '../capability.ts';
import { CHAT_TYPES } from '../domain/chat.ts';
import { AppError } from '../domain/errors.ts';
import type { StoredEvent } from '../domain/event-log.ts';
import { chatsCalled, knownSource, type LookupParts, oneChatCalled, shown } from './lookup.ts';
import { encoded, MESSAGES, messagesUri } from './message-uri.ts';

/** What a subscription's query may filter by, and what that can be: anything where nothing is said. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  sender: [],
  chat: [],
  chat_type: CHAT_TYPES,
  type: ['message.received', 'message.edited', 'message.deleted', 'message.reaction'],
  own: ['true', 'false'],
};

/**
 * What to follow for a subscription to `messages://{source}/{chat}`, either of which may be a star. A chat that is called
 * by its name is followed by its id, which it keeps when it is renamed.
 */
export async function subscribeToMessages(uri: string, parts: LookupParts): Promise<readonly string[]> {
  const { source, chat, query } = partsOf(uri);
  checkFilters(query);
  const ending = query === '' ? '' : `?${query}`;
  if (source !== '*') await checkStreams(parts, source);
  if (chat === '*') return [`${MESSAGES}${source === '*' ? '*' : encoded(source)}/*${ending}`];
  const chats = source === '*' ? await chatsCalled(parts, chat) : [await oneChatCalled(parts, chat, source)];
  return chats.map((found) => `${messagesUri(found.source, found.id)}${ending}`);
}

/** What an event of the log changes: the messages of a chat. */
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

/** A filter that nothing could ever fit would be silence without a reason. */
function checkFilters(query: string): void {
  for (const [name, value] of new URLSearchParams(query)) {
    const valid = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (!valid) {
      throw invalid(`A subscription cannot be filtered by ${shown(name)}. Valid: ${Object.keys(FILTERS).join(', ')}.`);
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
