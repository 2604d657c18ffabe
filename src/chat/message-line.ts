import { visible } from '../lib/visible.ts';
import type { StoredMessage } from './ports.ts';

/** The fields of a message that a line shows. */
export interface MessageText {
  timestamp: string;
  sender: string;
  content: string;
  deleted_at?: string | undefined;
  attachments?: readonly { type: string; name?: string | undefined }[] | undefined;
}

/** A message as exactly one line: its text cannot imitate a second line. `chat` is shown if several chats are listed. */
export function messageLine(message: MessageText, chat?: string): string {
  const where = chat === undefined ? '' : `${visible(chat)} | `;
  return `[${message.timestamp}] ${where}${visible(message.sender)}: ${visible(contentOf(message))}`;
}

export function toMessageText({ at, sender, text, deletedAt, attachments }: StoredMessage): MessageText {
  return {
    timestamp: new Date(at).toISOString(),
    sender: sender.name,
    content: text,
    ...(deletedAt === undefined ? {} : { deleted_at: new Date(deletedAt).toISOString() }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

/** The text and the attachments. */
export function contentOf({ content, deleted_at: deletedAt, attachments = [] }: MessageText): string {
  if (deletedAt !== undefined) return '[deleted]';
  const files = attachments.map(({ type, name }) => (name === undefined ? `[${type}]` : `[${type}: ${name}]`));
  return [...(content === '' ? [] : [content]), ...files].join(' ');
}
