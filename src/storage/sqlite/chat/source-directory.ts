import type { ChatType, InboundChat, InboundEvent, Sender } from '../../../domain/chat.ts';
import type { Transaction } from '../database.ts';
import { fold } from './fold.ts';
import { createSenderNameChanges, type SenderNameChanges } from './sender-names.ts';

/** A chat row while a batch is recorded. */
export interface KnownChat {
  key: number;
  id: string;
  name: string | null;
  type: ChatType;
  participant_count: number | null;
}

/** The chats and senders of one source, read or created as a batch refers to them. */
export interface SourceDirectory {
  readonly source: number;
  /** Reads all chats and senders of these events in two queries. */
  preload(events: readonly InboundEvent[]): void;
  chat(inbound: InboundChat): KnownChat;
  /** Does not create the chat. */
  knownChat(id: string): KnownChat | undefined;
  /** Of the chats that were read or created so far. */
  chatKeys(): readonly number[];
  sender(sender: Sender): number;
  /** Adds new names of senders to their index. Called after the last sender. */
  indexSenderNames(): void;
}

interface KnownSender {
  key: number;
  id: string;
  name: string;
}

/** `mayRename` is false when history is read backwards: the names in it are older than the stored ones. */
export function openSourceDirectory(
  tx: Transaction,
  sourceId: string,
  { mayRename }: { mayRename: boolean },
): SourceDirectory {
  const source = sourceKey(tx, sourceId);
  const chats = new Map<string, KnownChat | undefined>();
  const senders = new Map<string, KnownSender | undefined>();
  const names = createSenderNameChanges();

  function knownChat(id: string): KnownChat | undefined {
    if (!chats.has(id)) chats.set(id, tx.get<KnownChat>(CHATS, JSON.stringify([id]), source));
    return chats.get(id);
  }

  return {
    source,
    preload(events) {
      const messages = events.flatMap((event) => (event.kind === 'message' ? [event.message] : []));
      const chatIds = [...new Set(messages.map(({ chat }) => chat.id))];
      const senderIds = [...new Set(messages.map(({ sender }) => sender.id))];
      for (const id of chatIds) chats.set(id, undefined);
      for (const chat of tx.all<KnownChat>(CHATS, JSON.stringify(chatIds), source)) chats.set(chat.id, chat);
      for (const id of senderIds) senders.set(id, undefined);
      for (const sender of tx.all<KnownSender>(SENDERS, JSON.stringify(senderIds), source))
        senders.set(sender.id, sender);
    },
    knownChat,
    chatKeys: () => [...chats.values()].flatMap((chat) => (chat ? [chat.key] : [])),
    chat(inbound) {
      const known = knownChat(inbound.id);
      const chat = known ? updateChat(tx, known, inbound) : addChat(tx, source, inbound);
      chats.set(inbound.id, chat);
      return chat;
    },
    sender(sender) {
      const known = senders.get(sender.id);
      const row = known ? updateSender(tx, names, known, sender, mayRename) : addSender(tx, names, source, sender);
      senders.set(sender.id, row);
      return row.key;
    },
    indexSenderNames: () => names.save(tx),
  };
}

const CHATS = `
  select c.key, c.id, c.name, c.type, c.participant_count
  from json_each(?) as wanted cross join chats as c on c.source = ? and c.id = wanted.value`;
const SENDERS = `
  select s.key, s.id, s.name from json_each(?) as wanted cross join senders as s on s.source = ? and s.id = wanted.value`;

/** The key of a source, which is created if it is new. */
export function sourceKey(tx: Transaction, id: string): number {
  const found = tx.get<{ key: number }>('select key from chat_sources where id = ?', id);
  const { key } = found ?? tx.get<{ key: number }>('insert into chat_sources (id) values (?) returning key', id) ?? {};
  if (key === undefined) throw new Error('inserting a source returned no key');
  return key;
}

function addChat(tx: Transaction, source: number, inbound: InboundChat): KnownChat {
  const { id, name = null, type = 'direct', participantCount = null } = inbound;
  const row = tx.get<KnownChat>(
    `insert into chats (source, id, name, folded_name, type, participant_count, last_at, messages)
     values (?, ?, ?, ?, ?, ?, -1, 0) returning key, id, name, type, participant_count`,
    source,
    id,
    name,
    fold(name ?? id),
    type,
    participantCount,
  );
  return row as KnownChat;
}

/** Fields that the network did not send keep their values. */
function updateChat(tx: Transaction, known: KnownChat, inbound: InboundChat): KnownChat {
  const { name = known.name, type = known.type, participantCount = known.participant_count } = inbound;
  if (name === known.name && type === known.type && participantCount === known.participant_count) return known;
  tx.run(
    'update chats set name = ?, folded_name = ?, type = ?, participant_count = ? where key = ?',
    name,
    fold(name ?? known.id),
    type,
    participantCount,
    known.key,
  );
  return { ...known, name, type, participant_count: participantCount };
}

function addSender(tx: Transaction, names: SenderNameChanges, source: number, { id, name }: Sender): KnownSender {
  const row = tx.get<KnownSender>(
    'insert into senders (source, id, name, folded_name) values (?, ?, ?, ?) returning key, id, name',
    source,
    id,
    name || id,
    fold(name || id),
  ) as KnownSender;
  names.added(row.key);
  return row;
}

/** A name that only repeats the id replaces nothing. */
function updateSender(
  tx: Transaction,
  names: SenderNameChanges,
  known: KnownSender,
  { id, name }: Sender,
  mayRename: boolean,
): KnownSender {
  if (name === '' || name === known.name || name === id) return known;
  if (!mayRename && known.name !== id) return known;
  tx.run('update senders set name = ?, folded_name = ? where key = ?', name, fold(name), known.key);
  names.changed(known.key);
  return { ...known, name };
}
