import type { z } from 'zod';
import { shortName } from '../lib/answer-size.ts';
import type { MessageView } from './message-view.ts';

type Message = z.output<typeof MessageView>;
type Request = { source?: unknown };

/** Of a message that one answer can hold in any case. */
const MAX_URL = 500;
const MAX_LISTED = 10;

/**
 * What of a message is neither the default nor said elsewhere: models pay for each byte. REST and the command line give
 * everything.
 */
export function compactMessage(message: Message, { source: asked }: Request) {
  const { source, chat, sender_id: senderId, content_type: contentType, attachments, reactions, ...rest } = message;
  const isCut = [attachments, reactions].some((list = []) => list.length > MAX_LISTED);
  return {
    ...rest,
    ...(source === asked ? {} : { source }),
    ...(chat === message.chat_id ? {} : { chat: shortName(chat) }),
    sender: shortName(message.sender),
    ...(senderId === message.sender ? {} : { sender_id: senderId }),
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

function compactAttachment({ url, name, ...rest }: NonNullable<Message['attachments']>[number]) {
  return {
    ...rest,
    ...(name === undefined ? {} : { name: shortName(name) }),
    ...(url === undefined || url.length > MAX_URL ? {} : { url }),
  };
}
