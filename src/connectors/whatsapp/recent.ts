export interface RecentMessage {
  /** The address that the author had in the message. */
  author: string;
  /** The beginning of the text. */
  text: string;
}

const MOST = 5_000;
const LONGEST_TEXT = 200;

/** The last messages, for replies: WhatsApp shows a reply with the author and the text that it carries itself. */
export function createRecent() {
  const messages = new Map<string, RecentMessage>();
  return {
    add(chat: string, id: string, { author, text }: RecentMessage): void {
      messages.set(`${chat} ${id}`, { author, text: text.slice(0, LONGEST_TEXT).toWellFormed() });
      if (messages.size <= MOST) return;
      const [oldest] = messages.keys();
      if (oldest !== undefined) messages.delete(oldest);
    },
    get: (chat: string, id: string) => messages.get(`${chat} ${id}`),
  };
}

export type Recent = ReturnType<typeof createRecent>;
