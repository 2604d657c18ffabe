import type { z } from 'zod';
import { shortName } from '../lib/answer-size.ts';
import type { MessageView } from './message-view.ts';

type Message = z.output<typeof MessageView>;
type Request = { source?: unknown };

/** What several messages of an answer have in common, given once. */
export interface SharedFields {
  source?: string;
  chat_names?: Record<string, string>;
}

/** Of a message that one answer can hold in any case. */
const MAX_URL = 500;
/** Longer ids are not accepted as input either. */
export const MAX_ID = 500;
const MAX_LISTED = 10;

/**
 * What of a message is neither the default nor said elsewhere: models pay for each byte. REST and the command line give
 * everything.
 */
export function compactMessage(message: Message, { source: asked }: Request, shared: SharedFields = {}) {
  const { source, chat, sender_id: senderId, content_type: contentType, attachments, reactions, ...rest } = message;
  const isCut = [attachments, reactions].some((list = []) => list.length > MAX_LISTED);
  return {
    ...rest,
    chat_id: shortName(message.chat_id, MAX_ID),
    ...(source === asked || source === shared.source ? {} : { source }),
    ...(chat === message.chat_id || shared.chat_names?.[message.chat_id] === shortName(chat)
      ? {}
      : { chat: shortName(chat) }),
    sender: shortName(message.sender),
    ...(senderId.toLowerCase() === message.sender.toLowerCase() ? {} : { sender_id: shortName(senderId, MAX_ID) }),
    ...(contentType === 'text' ? {} : { content_type: contentType }),
    ...(isCut ? { is_shortened: true } : {}),
    ...(attachments ? { attachments: attachments.slice(0, MAX_LISTED).map(compactAttachment) } : {}),
    ...(reactions
      ? {
          reactions: reactions.slice(0, MAX_LISTED).map(({ sign, senders }) => ({
            sign,
            senders: senders.slice(0, MAX_LISTED).map((name) => shortName(name)),
          })),
        }
      : {}),
  };
}

/** The source of all messages, and the names of chats that are not their ids. A single message has its own. */
export function sharedFields(messages: readonly Message[], { source: asked }: Request): SharedFields {
  const [first] = messages;
  if (!first || messages.length === 1 || messages.some(({ source }) => source !== first.source)) return {};
  const named = messages.filter(({ chat, chat_id: id }) => chat !== id && id.length <= MAX_ID);
  const names = new Map(named.map(({ chat_id: id, chat }) => [id, shortName(chat)]));
  return {
    ...(first.source === asked ? {} : { source: first.source }),
    ...(names.size === 0 || names.size === named.length ? {} : { chat_names: Object.fromEntries(names) }),
  };
}

function compactAttachment({ url, name, mime, ...rest }: NonNullable<Message['attachments']>[number]) {
  return {
    ...rest,
    ...(name === undefined ? {} : { name: shortName(name) }),
    ...(mime === undefined ? {} : { mime: shortName(mime) }),
    ...(url === undefined || url.length > MAX_URL ? {} : { url }),
  };
}
