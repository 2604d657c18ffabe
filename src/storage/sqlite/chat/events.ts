import type { NewEvent } from '../../../domain/event-log.ts';
import type { Change, KnownMessage } from './change-message.ts';
import type { KnownChat } from './source-directory.ts';

/** Maximum length of a message's text in an event. Clients read the rest. */
const MAX_CONTENT_LENGTH = 2_000;

export function messageEvent(
  type: Change | 'received',
  { source, chat, message }: { source: string; chat: KnownChat; message: KnownMessage },
): NewEvent {
  return {
    type: `message.${type}`,
    subject: `${subjectOf(source)}${encodeURIComponent(chat.id.toWellFormed())}`,
    data: {
      source,
      chat_id: chat.id,
      chat: chat.name ?? chat.id,
      chat_type: chat.type,
      message_id: String(message.id),
      sender: message.sender_name,
      sender_id: message.sender_id,
      content: truncate(message.text),
      ...(message.text.length > MAX_CONTENT_LENGTH ? { is_shortened: true } : {}),
      timestamp: new Date(message.at).toISOString(),
      own: message.own === 1,
    },
  };
}

/** One event for a whole batch of history instead of one per message. */
export function importedEvent(source: string, count: number): NewEvent[] {
  return count === 0 ? [] : [{ type: 'messages.imported', subject: subjectOf(source), data: { source, count } }];
}

/** Prefix of the subjects of all events of a source. */
export function subjectOf(source: string): string {
  return `messages://${encodeURIComponent(source)}/`;
}

/** Never cuts a surrogate pair in two. */
function truncate(text: string): string {
  if (text.length <= MAX_CONTENT_LENGTH) return text;
  const end = text.charCodeAt(MAX_CONTENT_LENGTH - 1);
  return text.slice(0, end >= 0xd800 && end < 0xdc00 ? MAX_CONTENT_LENGTH - 1 : MAX_CONTENT_LENGTH);
}
