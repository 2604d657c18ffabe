import type { Attachment, ContentType } from '../../../domain/chat.ts';
import type { Transaction } from '../database.ts';
import { cut, fold, type Words } from './words.ts';

/** Where a message belongs, by the store's own numbers. */
export interface Place {
  source: number;
  chat: number;
  sender: number;
  at: number;
  contentType: ContentType;
}

/** Stands between the text and the name of a file, so that no phrase reaches from one into the other. */
const BOUNDARY = '_';

/** Everything of a message that is searched, each by itself. */
export function searchedTexts(text: string, attachments: readonly Attachment[] = []): string[] {
  return [text, ...attachments.flatMap(({ name }) => (name ? [name] : []))];
}

export function wordsOf(text: string, attachments?: readonly Attachment[]): Words {
  const [first, ...others] = searchedTexts(text, attachments).map((each) => cut(fold(each)));
  if (!first || others.length === 0) return first ?? { tokens: [], terms: [] };
  return {
    tokens: [...first.tokens, ...others.flatMap(({ tokens }) => [BOUNDARY, ...tokens])],
    terms: [...first.terms, ...others.flatMap(({ terms }) => terms)],
  };
}

export function addToIndex(tx: Transaction, id: number, place: Place, tokens: readonly string[]): void {
  const { source, chat, sender, at, contentType } = place;
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

export function monthToken(moment: number): string {
  const date = new Date(moment);
  return `_m${date.getUTCFullYear() * 100 + date.getUTCMonth() + 1}`;
}
