import type { ContentType, InboundEvent } from '../../../domain/chat.ts';
import type { IndexedText } from '../../../domain/indexed-text.ts';
import type { Transaction } from '../database.ts';
import { replaceInIndex, tokenizeMessage } from './index-row.ts';
import { clampTimestamp } from './message-ids.ts';
import { withReactions } from './reactions.ts';
import { type Extra, formatExtra, parseExtra } from './rows.ts';

/** The columns of a stored message that a change reads or writes. */
export interface KnownMessage {
  id: number;
  chat: number;
  sender: number;
  sender_id: string;
  sender_name: string;
  external_id: string;
  at: number;
  own: number;
  content_type: ContentType;
  text: string;
  edited_at: number | null;
  deleted_at: number | null;
  extra: string | null;
}

export type Change = 'edited' | 'deleted' | 'reaction';
export type ChangingEvent = Exclude<InboundEvent, { kind: 'chat' }>;

export interface Changed {
  /** Undefined if nothing changed. */
  change?: Change;
  message: KnownMessage;
}

interface ChangeParts {
  /** Key of the source. */
  source: number;
  addTerms(indexed: IndexedText): void;
}

export function findKnown(tx: Transaction, chat: number, externalId: string): KnownMessage | undefined {
  return tx.get<KnownMessage>(`${KNOWN} where m.chat = ? and m.external_id = ?`, chat, externalId);
}

export function findKnownById(tx: Transaction, id: number): KnownMessage | undefined {
  return tx.get<KnownMessage>(`${KNOWN} where m.id = ?`, id);
}

const KNOWN =
  'select m.*, s.id as sender_id, s.name as sender_name from messages as m join senders as s on s.key = m.sender';

/**
 * Applies an edit, deletion or reaction to a stored message. Ignores one that is from another sender, is older
 * than what is stored, or changes nothing.
 */
export function changeMessage(tx: Transaction, known: KnownMessage, event: ChangingEvent, parts: ChangeParts): Changed {
  const unchanged = { message: known };
  // A deletion is final, also when an older edit arrives late.
  if (known.deleted_at !== null) return unchanged;
  switch (event.kind) {
    case 'message': {
      const { text, attachments, editedAt } = event.message;
      if (editedAt === undefined || editedAt <= (known.edited_at ?? 0)) return unchanged;
      if (text === known.text) return unchanged;
      return edit(tx, known, { text, at: editedAt, extra: { ...parseExtra(known.extra), attachments } }, parts);
    }
    case 'edit':
      if (isOtherSender(known, event.sender) || event.at < (known.edited_at ?? 0)) return unchanged;
      if (event.text === known.text) return unchanged;
      return edit(tx, known, { text: event.text, at: event.at, extra: parseExtra(known.extra) }, parts);
    case 'delete':
      return isOtherSender(known, event.sender) ? unchanged : markDeleted(tx, known, event.at, parts);
    case 'reaction':
    case 'reactions': {
      const extra = parseExtra(known.extra);
      const reactions = withReactions(extra.reactions ?? [], event);
      if (!reactions) return unchanged;
      const message = { ...known, extra: formatExtra({ ...extra, reactions }) };
      tx.run('update messages set extra = ? where id = ?', message.extra, known.id);
      return { change: 'reaction', message };
    }
  }
}

function isOtherSender(known: KnownMessage, sender: string | undefined): boolean {
  return sender !== undefined && sender !== known.sender_id;
}

function edit(
  tx: Transaction,
  known: KnownMessage,
  { text, at, extra }: { text: string; at: number; extra: Extra | { attachments: undefined } },
  parts: ChangeParts,
): Changed {
  const message = { ...known, text, edited_at: clampTimestamp(at, known.at), extra: formatExtra(extra as Extra) };
  const { text: newText, edited_at: editedAt, extra: newExtra, id } = message;
  tx.run('update messages set text = ?, edited_at = ?, extra = ? where id = ?', newText, editedAt, newExtra, id);
  reindex(tx, message, parts);
  return { change: 'edited', message };
}

function markDeleted(tx: Transaction, known: KnownMessage, at: number, parts: ChangeParts): Changed {
  const message = { ...known, text: '', extra: null, deleted_at: clampTimestamp(at, known.at) };
  tx.run(`update messages set text = '', extra = null, deleted_at = ? where id = ?`, message.deleted_at, known.id);
  reindex(tx, message, parts);
  return { change: 'deleted', message };
}

function reindex(tx: Transaction, message: KnownMessage, { source, addTerms }: ChangeParts): void {
  const { id, chat, sender, at, content_type: contentType, text, extra } = message;
  const indexed = tokenizeMessage(text, parseExtra(extra));
  replaceInIndex(tx, id, { source, chat, sender, at, contentType }, indexed.words);
  addTerms(indexed);
}
