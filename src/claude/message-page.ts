import type { ConversationMessage } from '../domain/conversation-message.ts';

const MAX_BYTES = 500_000;
/** Of an answer to a model. */
const PAGE_BYTES = 20_000;

/** The newest of these messages that fit into one answer; at least one. */
export function newestThatFit(
  messages: readonly ConversationMessage[],
  shownOf: (message: ConversationMessage) => object,
  isForModel = false,
): readonly ConversationMessage[] {
  let left = isForModel ? PAGE_BYTES : MAX_BYTES;
  const tooMany = messages.findLastIndex((message, index) => {
    left -= Buffer.byteLength(JSON.stringify(shownOf(message)));
    return left < 0 && index < messages.length - 1;
  });
  return messages.slice(tooMany + 1);
}
