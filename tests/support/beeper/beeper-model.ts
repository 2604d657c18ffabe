import { EventEmitter } from 'node:events';
import { until } from '../mcp/shim-program.ts';

export type Json = Record<string, unknown>;

export interface FakeMessage extends Json {
  id: string;
  chatID: string;
  senderID: string;
  sortKey: string;
  timestamp: string;
  text?: string;
}

export const TEAM = '!team:local-whatsapp.localhost';
export const WITH_BOB = '!bob:beeper.local';
export const BOB = { id: '@bob:beeper.local', fullName: 'Bob' };
export const ME = { id: '@alice:beeper.local', fullName: 'Alice', isSelf: true };
/** Of messages and of chats. */
export const PAGE = 100;

/** What Beeper Desktop knows: chats of two networks and their messages. */
export function createBeeperModel() {
  const participants = { items: [ME, BOB], total: 2, hasMore: false };
  const chats: Json[] = [
    { id: TEAM, accountID: 'whatsapp_1', network: 'WhatsApp', title: 'Team', type: 'group', participants },
    // Some versions leave the network out.
    { id: WITH_BOB, accountID: 'telegram_1', title: 'Bob', type: 'single', participants },
  ];
  const messages = new Map<string, FakeMessage[]>();
  const pending = new Map<string, FakeMessage>();
  const assets = new Map<string, Buffer>();
  const events = new EventEmitter();
  let count = 0;
  let told = 0;

  const listOf = (chat: string) => {
    const known = messages.get(chat) ?? [];
    messages.set(chat, known);
    return known;
  };

  /** Now and then an event has only the ids. */
  function tell(message: FakeMessage): void {
    told += 1;
    const entries = told % 5 === 0 ? {} : { entries: [message] };
    const event = { type: 'message.upserted', chatID: message.chatID, ids: [message.id], ...entries };
    events.emit('event', { seq: told, ts: Date.now(), ...event });
  }

  function add(chatID: string, senderID: string, more: Json, at = Date.now()): FakeMessage {
    count += 1;
    const message = {
      id: String(1_000_000 + count),
      chatID,
      accountID: 'x',
      senderID,
      sortKey: String(count),
      timestamp: new Date(at).toISOString(),
      type: 'TEXT',
      isSender: senderID === ME.id,
      ...(senderID === BOB.id ? { senderName: BOB.fullName } : {}),
      ...more,
    };
    listOf(chatID).push(message);
    return message;
  }

  function send(chatID: string, { text, replyToMessageID }: Json): Json | undefined {
    if (!chats.some(({ id }) => id === chatID)) return undefined;
    const pendingMessageID = `pending-${++count}`;
    const reply = replyToMessageID === undefined ? {} : { linkedMessageID: replyToMessageID };
    const draft = { text, ...reply, sendStatus: { status: 'PENDING' } };
    const waiting = { ...add(chatID, ME.id, draft), id: pendingMessageID };
    listOf(chatID).pop();
    pending.set(pendingMessageID, waiting);
    tell(waiting);
    setImmediate(() => {
      const sent = add(chatID, ME.id, { ...draft, sendStatus: { status: 'SUCCESS' } });
      pending.set(pendingMessageID, sent);
      tell(sent);
    });
    return { chatID, pendingMessageID };
  }

  function find(chat: string, id: string): FakeMessage | undefined {
    return pending.get(id) ?? listOf(chat).find((message) => message.id === id);
  }

  return {
    chats,
    assets,
    events,
    listOf,
    add,
    tell,
    send,
    find,
    /** Changes a message and tells so. */
    change(chat: string, id: string, more: Json): void {
      const message = find(chat, id);
      if (!message) throw new Error('there is no such message');
      tell(Object.assign(message, more));
    },
    delete(chatID: string, id: string): void {
      Object.assign(find(chatID, id) ?? {}, { isDeleted: true, text: '' });
      events.emit('event', { type: 'message.deleted', seq: ++told, ts: Date.now(), chatID, ids: [id] });
    },
    /** Items next to a cursor, newest first as Beeper lists them. */
    page(chat: string, cursor: string | null, direction: string | null): { items: FakeMessage[]; hasMore: boolean } {
      const all = listOf(chat);
      const fits = ({ sortKey }: FakeMessage) =>
        cursor === null ||
        (direction === 'after' ? Number(sortKey) > Number(cursor) : Number(sortKey) < Number(cursor));
      const found = all.filter(fits);
      const items = direction === 'after' ? found.slice(0, PAGE) : found.slice(-PAGE);
      return { items: items.toReversed(), hasMore: items.length < found.length };
    },
    async sentWith(chat: string, text: string): Promise<FakeMessage> {
      const sent = () => listOf(chat).find((message) => message.isSender === true && message.text === text);
      await until(`“${text.slice(0, 40)}” was sent`, () => sent() !== undefined);
      return sent() as FakeMessage;
    },
  };
}

export type BeeperModel = ReturnType<typeof createBeeperModel>;
