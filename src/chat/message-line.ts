import { visible } from '../lib/visible.ts';
import type { StoredMessage } from './ports.ts';

/** What a line says of a message. */
export interface Said {
  timestamp: string;
  sender: string;
  content: string;
  deleted_at?: string | undefined;
  attachments?: readonly { type: string; name?: string | undefined }[] | undefined;
}

/** A message as one line, whoever wrote it: nobody can make it look like two, or like somebody else's. */
export function messageLine(said: Said, place?: string): string {
  const where = place === undefined ? '' : `${visible(place)} | `;
  return `[${said.timestamp}] ${where}${visible(said.sender)}: ${visible(contentOf(said))}`;
}

export function toSaid({ at, sender, text, deletedAt, attachments }: StoredMessage): Said {
  return {
    timestamp: new Date(at).toISOString(),
    sender: sender.name,
    content: text,
    ...(deletedAt === undefined ? {} : { deleted_at: new Date(deletedAt).toISOString() }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

/** What was said, and what came with it. */
export function contentOf({ content, deleted_at: deletedAt, attachments = [] }: Said): string {
  if (deletedAt !== undefined) return '[deleted]';
  const files = attachments.map(({ type, name }) => (name === undefined ? `[${type}]` : `[${type}: ${name}]`));
  return [...(content === '' ? [] : [content]), ...files].join(' ');
}
