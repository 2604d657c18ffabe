import type { NewEvent } from '../../../domain/event-log.ts';
import type { Change, KnownMessage } from './change-message.ts';
import type { KnownChat } from './source-directory.ts';

/** Of what was said, as much as a notification may carry; the rest is read. */
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

/** One for a whole batch of history: nobody wants to hear of each. */
export function importedEvent(source: string, count: number): NewEvent[] {
  return count === 0 ? [] : [{ type: 'messages.imported', subject: subjectOf(source), data: { source, count } }];
}

/** What the subjects of all events of a source begin with. */
export function subjectOf(source: string): string {
  return `messages://${encodeURIComponent(source)}/`;
}

/** Not in the middle of a character. */
function truncate(text: string): string {
  if (text.length <= MAX_CONTENT_LENGTH) return text;
  const end = text.charCodeAt(MAX_CONTENT_LENGTH - 1);
  return text.slice(0, end >= 0xd800 && end < 0xdc00 ? MAX_CONTENT_LENGTH - 1 : MAX_CONTENT_LENGTH);
}
