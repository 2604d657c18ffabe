import type { z } from 'zod';
import { bytesAsJson, fittingItems, shortName } from '../lib/answer-size.ts';
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
const MAX_FILE_BYTES = 5_000;
const MAX_REACTION_BYTES = 2_000;
/** With its text: less is left for lists if that has many hidden characters. Not where a long text is given whole. */
const MAX_BYTES = 9_000;
const LONGEST_EXCERPT = 2_000;

/**
 * What of a message is neither the default nor said elsewhere: models pay for each byte. REST and the command line give
 * everything.
 */
export function compactMessage(message: Message, { source: asked }: Request, shared: SharedFields = {}) {
  const { source, chat, sender_id: senderId, content_type: contentType, attachments, reactions, ...rest } = message;
  const fields = {
    ...rest,
    chat_id: shortName(message.chat_id, MAX_ID),
    ...(source === asked || source === shared.source ? {} : { source }),
    ...(chat === message.chat_id || shared.chat_names?.[message.chat_id] === shortName(chat)
      ? {}
      : { chat: shortName(chat) }),
    sender: shortName(message.sender),
    ...(senderId.toLowerCase() === message.sender.toLowerCase() ? {} : { sender_id: shortName(senderId, MAX_ID) }),
    ...(contentType === 'text' ? {} : { content_type: contentType }),
  };
  if (!attachments && !reactions) return fields;
  const isWhole = message.content.length > LONGEST_EXCERPT;
  const room = isWhole ? MAX_BYTES : MAX_BYTES - bytesAsJson(fields);
  return { ...fields, ...compactLists(message, room) };
}

function compactLists({ attachments, reactions }: Pick<Message, 'attachments' | 'reactions'>, room: number) {
  const files = fittingItems(
    (attachments ?? []).slice(0, MAX_LISTED).map(compactAttachment),
    Math.min(room, MAX_FILE_BYTES),
  );
  const signs = fittingItems(
    (reactions ?? []).slice(0, MAX_LISTED).map(compactReaction),
    Math.min(room - bytesAsJson(files), MAX_REACTION_BYTES),
  );
  const isCut = files.length < (attachments?.length ?? 0) || signs.length < (reactions?.length ?? 0);
  return {
    ...(isCut ? { is_shortened: true } : {}),
    ...(attachments ? { attachments: files } : {}),
    ...(reactions ? { reactions: signs } : {}),
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

function compactReaction({ sign, senders }: NonNullable<Message['reactions']>[number]) {
  return { sign: shortName(sign), senders: senders.slice(0, MAX_LISTED).map((name) => shortName(name)) };
}

function compactAttachment({ url, name, mime, ...rest }: NonNullable<Message['attachments']>[number]) {
  return {
    ...rest,
    ...(name === undefined ? {} : { name: shortName(name) }),
    ...(mime === undefined ? {} : { mime: shortName(mime) }),
    ...(url === undefined || url.length > MAX_URL ? {} : { url }),
  };
}
