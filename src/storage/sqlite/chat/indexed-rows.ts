import type { ContentType } from '../../../domain/chat.ts';
import type { MessageKeys } from './index-row.ts';

/** What is indexed of a stored message. */
export interface IndexedRow extends Omit<MessageKeys, 'contentType'> {
  id: number;
  content_type: ContentType;
  text: string;
  extra: string | null;
}

/** To be followed by conditions on `m`. */
export const INDEXED_ROWS = `
  select m.id, c.source, m.chat, m.sender, m.at, m.content_type, m.text, m.extra
  from messages as m cross join chats as c on c.key = m.chat`;
