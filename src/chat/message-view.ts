import { z } from 'zod';
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
  id: z.string(),
  source: z.string(),
  chat_id: z.string(),
  chat: z.string(),
  sender: z.string(),
  sender_id: z.string(),
  own: z.boolean().optional(),
  content: z.string(),
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

export function toMessageView(message: StoredMessage): z.input<typeof MessageView> {
  const { chat, sender, isOwn, replyTo, editedAt, deletedAt, attachments, reactions } = message;
  return {
    id: message.id,
    source: message.source,
    chat_id: chat.id,
    chat: chat.name,
    sender: sender.name,
    sender_id: sender.id,
    ...(isOwn ? { own: true } : {}),
    content: message.text,
    content_type: message.contentType,
    timestamp: toTimestamp(message.at),
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    ...(editedAt === undefined ? {} : { edited_at: toTimestamp(editedAt) }),
    ...(deletedAt === undefined ? {} : { deleted_at: toTimestamp(deletedAt) }),
    ...(attachments === undefined || attachments.length === 0 ? {} : { attachments }),
    ...(reactions === undefined || reactions.length === 0 ? {} : { reactions }),
  };
}

export function toTimestamp(at: number): string {
  return new Date(at).toISOString();
}
