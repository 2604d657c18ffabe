import { z } from 'zod';
import { excerpt } from '../lib/excerpt.ts';
import type { Marked } from '../lib/snippet.ts';
import type { StoredMessage } from './ports.ts';

const AttachmentView = z.object({
  type: z.string(),
  name: z.string().optional(),
  mime: z.string().optional(),
  size: z.number().optional(),
  url: z.string().optional(),
});

/** A message as callers see it. */
export const MessageView = z.object({
  id: z.string().describe('What other tools take as message_id or reply_to.'),
  source: z.string(),
  chat_id: z.string(),
  chat: z.string(),
  sender: z.string(),
  sender_id: z.string(),
  own: z.boolean().optional(),
  content: z.string(),
  is_shortened: z.boolean().optional(),
  length: z.int().optional().describe('Characters of the whole text.'),
  content_type: z.string(),
  timestamp: z.string(),
  reply_to: z.string().optional(),
  edited_at: z.string().optional(),
  deleted_at: z.string().optional(),
  attachments: z.array(AttachmentView).readonly().optional(),
  reactions: z
    .array(z.object({ sign: z.string(), senders: z.array(z.string()).readonly() }))
    .readonly()
    .optional(),
});

/** How much of a text to give: all of it, or at most an excerpt, around what was searched for. */
export type TextExtent = { full: true } | { full: false; marked?: Marked };

export function toMessageView(
  message: StoredMessage,
  extent: TextExtent = { full: true },
): z.input<typeof MessageView> {
  const { chat, sender, isOwn, replyTo, editedAt, deletedAt, attachments, reactions } = message;
  return {
    id: message.id,
    source: message.source,
    chat_id: chat.id,
    chat: chat.name,
    sender: sender.name,
    sender_id: sender.id,
    ...(isOwn ? { own: true } : {}),
    ...contentOf(message.text, extent),
    content_type: message.contentType,
    timestamp: toTimestamp(message.at),
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    ...(editedAt === undefined ? {} : { edited_at: toTimestamp(editedAt) }),
    ...(deletedAt === undefined ? {} : { deleted_at: toTimestamp(deletedAt) }),
    ...(attachments === undefined || attachments.length === 0 ? {} : { attachments }),
    ...(reactions === undefined || reactions.length === 0 ? {} : { reactions }),
  };
}

/** `length` is that of the whole text, in characters. */
function contentOf(text: string, extent: TextExtent) {
  if (extent.full) return { content: text };
  const { text: content, isShortened } = excerpt(text, extent.marked);
  return isShortened ? { content, is_shortened: true, length: text.length } : { content };
}

export function toTimestamp(at: number): string {
  return new Date(at).toISOString();
}
