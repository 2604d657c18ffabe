/** The address of a chat's messages: `messages://telegram/12345`. */
export const MESSAGES = 'messages://';

export function messagesUri(source: string, chat: string): string {
  return `${MESSAGES}${encoded(source)}/${encoded(chat)}`;
}

/** A star stands for any chat, so one that is called so is written otherwise; half characters have no address at all. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('*', '%2A');
}
