import type { ChatType, InboundChat, Sender } from '../../../domain/chat.ts';
import type { Transaction } from '../database.ts';
import { fold } from './words.ts';

/** What is known of a chat while a batch is recorded. */
export interface KnownChat {
  key: number;
  id: string;
  name: string | null;
  type: ChatType;
  participant_count: number | null;
}

/** The chats and senders of one source, found or made as a batch names them. */
export interface Directory {
  readonly source: number;
  chat(inbound: InboundChat): KnownChat;
  /** Only where it is known already. */
  knownChat(id: string): KnownChat | undefined;
  sender(sender: Sender): number;
}

interface KnownSender {
  key: number;
  name: string;
}

/** Where history is read backwards, what it calls people is older than what is known. */
export function openDirectory(tx: Transaction, sourceId: string, { renames }: { renames: boolean }): Directory {
  const source = sourceKey(tx, sourceId);
  const chats = new Map<string, KnownChat | undefined>();
  const senders = new Map<string, KnownSender>();

  function knownChat(id: string): KnownChat | undefined {
    if (!chats.has(id)) {
      const sql = 'select key, id, name, type, participant_count from chats where source = ? and id = ?';
      chats.set(id, tx.get<KnownChat>(sql, source, id));
    }
    return chats.get(id);
  }

  return {
    source,
    knownChat,
    chat(inbound) {
      const known = knownChat(inbound.id);
      const chat = known ? renewChat(tx, known, inbound) : addChat(tx, source, inbound);
      chats.set(inbound.id, chat);
      return chat;
    },
    sender(sender) {
      const known = senders.get(sender.id) ?? findSender(tx, source, sender.id);
      const row = known ? renewSender(tx, known, sender, renames) : addSender(tx, source, sender);
      senders.set(sender.id, row);
      return row.key;
    },
  };
}

function sourceKey(tx: Transaction, id: string): number {
  const found = tx.get<{ key: number }>('select key from chat_sources where id = ?', id);
  const { key } = found ?? tx.get<{ key: number }>('insert into chat_sources (id) values (?) returning key', id) ?? {};
  if (key === undefined) throw new Error('a source got no number');
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

/** What the network does not say stays as it was. */
function renewChat(tx: Transaction, known: KnownChat, inbound: InboundChat): KnownChat {
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

function findSender(tx: Transaction, source: number, id: string): KnownSender | undefined {
  return tx.get<KnownSender>('select key, name from senders where source = ? and id = ?', source, id);
}

function addSender(tx: Transaction, source: number, { id, name }: Sender): KnownSender {
  const row = tx.get<KnownSender>(
    'insert into senders (source, id, name, folded_name) values (?, ?, ?, ?) returning key, name',
    source,
    id,
    name || id,
    fold(name || id),
  );
  return row as KnownSender;
}

/** A name that is only the id tells nothing. */
function renewSender(tx: Transaction, known: KnownSender, { id, name }: Sender, renames: boolean): KnownSender {
  if (name === '' || name === known.name || name === id) return known;
  if (!renames && known.name !== id) return known;
  tx.run('update senders set name = ?, folded_name = ? where key = ?', name, fold(name), known.key);
  return { ...known, name };
}
