import type { NewEvent } from '../../../domain/event-log.ts';
import type { Change, KnownMessage } from './change.ts';
import type { KnownChat } from './directory.ts';

/** Of what was said, as much as a notification may carry; the rest is read. */
const LONGEST_CONTENT = 2_000;

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
      content: shorten(message.text),
      ...(message.text.length > LONGEST_CONTENT ? { is_shortened: true } : {}),
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
function shorten(text: string): string {
  if (text.length <= LONGEST_CONTENT) return text;
  const end = text.charCodeAt(LONGEST_CONTENT - 1);
  return text.slice(0, end >= 0xd800 && end < 0xdc00 ? LONGEST_CONTENT - 1 : LONGEST_CONTENT);
}
