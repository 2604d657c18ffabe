import type { Attachment, ContentType } from '../../../domain/chat.ts';
import type { MailAddress } from '../../../domain/email.ts';
import type { IndexedText } from '../../../domain/indexed-text.ts';
import type { Transaction } from '../database.ts';
import { fieldTokens } from './field-tokens.ts';
import { fold } from './fold.ts';
import { addPending, removeFromPairs } from './pending-pairs.ts';
import type { Extra } from './rows.ts';
import { signTokens } from './signs.ts';
import { BOUNDARY, plainWords, tokenize } from './tokenize.ts';

/** Keys under which a message is indexed. */
export interface MessageKeys {
  source: number;
  chat: number;
  sender: number;
  at: number;
  contentType: ContentType;
}

/** Token of messages that have attached files. */
export const HAS_ATTACHMENT = '_has_attachment';

/** What is searched besides the text. */
export type Searched = Pick<Extra, 'attachments' | 'mail'>;

/** The parts of a message that are searched: its text, the names of its attachments, subject and sender of an email. */
export function searchedTexts(text: string, { attachments = [], mail }: Searched = {}): string[] {
  return [text, ...(mail ? [mail.subject, ...mail.from.map(toText)] : []), ...fileNames(attachments)];
}

interface TokenizedMessage extends IndexedText {
  words: string;
}

export function tokenizeMessage(text: string, searched: Searched = {}): TokenizedMessage {
  const parts = searchedTexts(text, searched).map(tokenizeText);
  const fields = tokensOfFields(searched);
  const words = parts.map((part) => part.words).join(` ${BOUNDARY} `);
  return {
    words: fields.length === 0 ? words : `${words} ${fields.join(' ')}`,
    terms: parts.flatMap(({ terms }) => terms),
  };
}

function tokenizeText(text: string): TokenizedMessage {
  const plain = plainWords(text);
  // No sign of a plain text changes when it is folded.
  if (plain !== undefined) return { words: withSigns(plain, text), terms: [] };
  const folded = fold(text);
  const { tokens, terms } = tokenize(folded);
  return { words: withSigns(tokens.join(' '), folded), terms: terms.filter((term) => !/^[a-z0-9]+$/.test(term)) };
}

/** After the words, where they are in no phrase. */
function withSigns(words: string, text: string): string {
  const signs = signTokens(text);
  return signs.length === 0 ? words : `${words} ${signs.join(' ')}`;
}

/** All words for the vocabulary. */
export function termsIn({ words, terms }: TokenizedMessage): string[] {
  return [...words.split(SEPARATORS).filter((word) => /^[a-z0-9]+$/.test(word)), ...terms];
}

/** What separates tokens for FTS5, by its tokenizer. */
const SEPARATORS = /[^a-z0-9_\x80-\uffff]+/;

function tokensOfFields({ attachments = [], mail }: Searched): string[] {
  const mailFields = mail
    ? [
        ...bounded(fieldTokens('subject', mail.subject)),
        ...bounded(fieldTokens('to', ...mail.to.map(toText))),
        ...bounded(fieldTokens('cc', ...mail.cc.map(toText))),
      ]
    : [];
  if (attachments.length === 0) return mailFields;
  const types = new Set(attachments.map(({ type }) => attachmentToken(type)));
  return [...mailFields, ...bounded(fieldTokens('filename', ...fileNames(attachments))), HAS_ATTACHMENT, ...types];
}

function bounded(tokens: readonly string[]): readonly string[] {
  return tokens.length === 0 ? tokens : [BOUNDARY, ...tokens];
}

function fileNames(attachments: readonly Attachment[]): string[] {
  return attachments.flatMap(({ name }) => (name ? [name] : []));
}

function toText({ name, address }: MailAddress): string {
  return `${name} ${address}`;
}

export function addToIndex(tx: Transaction, id: number, keys: MessageKeys, words: string | Uint8Array): void {
  const sql = "insert into message_words (rowid, words) values (?, ? || ' ' || cast(? as text))";
  tx.run(sql, id, placeTokens(keys), words);
}

/** Where a message belongs, as tokens. */
export function placeTokens({ source, chat, sender, at, contentType }: MessageKeys): string {
  return `${sourceToken(source)} ${chatToken(chat)} ${senderToken(sender)} ${monthToken(at)} ${typeToken(contentType)}`;
}

export function removeFromIndex(tx: Transaction, id: number): void {
  tx.run('delete from message_words where rowid = ?', id);
  removeFromPairs(tx, id);
}

/** For a message that was changed. */
export function replaceInIndex(tx: Transaction, id: number, keys: MessageKeys, words: string | Uint8Array): void {
  removeFromIndex(tx, id);
  addToIndex(tx, id, keys, words);
  addPending(tx, [id]);
}

export const sourceToken = (key: number) => `_o${key}`;
export const chatToken = (key: number) => `_c${key}`;
export const senderToken = (key: number) => `_s${key}`;
export const attachmentToken = (type: ContentType) => `_has_${type}`;
export const typeToken = (type: ContentType) => `_t${type}`;

export function monthToken(timestamp: number): string {
  const date = new Date(timestamp);
  return `_m${date.getUTCFullYear() * 100 + date.getUTCMonth() + 1}`;
}
