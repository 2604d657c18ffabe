/** The address of a chat's messages: `messages://telegram/12345`. */
export const MESSAGES = 'messages://';

export function messagesUri(source: string, chat: string): string {
  return `${MESSAGES}${encoded(source)}/${encoded(chat)}`;
}

/** A star in a URI means any chat, so it is encoded in ids; lone surrogates cannot be encoded and are replaced. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('*', '%2A');
}
