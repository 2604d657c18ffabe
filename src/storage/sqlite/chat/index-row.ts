import type { Attachment, ContentType } from '../../../domain/chat.ts';
import type { Transaction } from '../database.ts';
import { fold, type TokenizedText, tokenize } from './tokenize.ts';

/** Keys under which a message is indexed. */
export interface MessageKeys {
  source: number;
  chat: number;
  sender: number;
  at: number;
  contentType: ContentType;
}

/** Separates texts that are indexed together, so that no phrase matches across them. */
export const BOUNDARY = '_';

/** The parts of a message that are searched: its text and the names of its attachments. */
export function searchedTexts(text: string, attachments: readonly Attachment[] = []): string[] {
  return [text, ...attachments.flatMap(({ name }) => (name ? [name] : []))];
}

export function tokenizeMessage(text: string, attachments?: readonly Attachment[]): TokenizedText {
  const [first, ...others] = searchedTexts(text, attachments).map((each) => tokenize(fold(each)));
  if (!first || others.length === 0) return first ?? { tokens: [], terms: [] };
  return {
    tokens: [...first.tokens, ...others.flatMap(({ tokens }) => [BOUNDARY, ...tokens])],
    terms: [...first.terms, ...others.flatMap(({ terms }) => terms)],
  };
}

export function addToIndex(tx: Transaction, id: number, keys: MessageKeys, tokens: readonly string[]): void {
  const { source, chat, sender, at, contentType } = keys;
  const where = `${sourceToken(source)} ${chatToken(chat)} ${senderToken(sender)} ${monthToken(at)} ${typeToken(contentType)}`;
  tx.run('insert into message_words (rowid, words) values (?, ?)', id, `${where} ${tokens.join(' ')}`);
}

export function removeFromIndex(tx: Transaction, id: number): void {
  tx.run('delete from message_words where rowid = ?', id);
}

export const sourceToken = (key: number) => `_o${key}`;
export const chatToken = (key: number) => `_c${key}`;
export const senderToken = (key: number) => `_s${key}`;
export const typeToken = (type: ContentType) => `_t${type}`;

export function monthToken(timestamp: number): string {
  const date = new Date(timestamp);
  return `_m${date.getUTCFullYear() * 100 + date.getUTCMonth() + 1}`;
}
