import type { InboundChat } from '../../domain/chat.ts';
import { type BeeperClient, BeeperError } from './client.ts';
import { type Directory, toChat } from './convert.ts';
import { type BeeperChat, readAccounts, readChat, readChats } from './schema.ts';

/** Chats beyond it are not listed; those with new messages are found by them. */
const MAX_CHATS = 20_000;
/** So many messages with reactions are remembered. */
const MAX_REACTED = 10_000;

/** The chats of all accounts. */
export interface KnownChats extends Directory {
  /** All of them, as they are now. */
  list(signal: AbortSignal): Promise<InboundChat[]>;
  learn(chat: BeeperChat): InboundChat;
  /** A chat that is not known yet; undefined if Beeper does not know it either. */
  find(id: string, signal: AbortSignal): Promise<InboundChat | undefined>;
}

export function createChats({ ask }: BeeperClient): KnownChats {
  const chats = new Map<string, BeeperChat>();
  const networks = new Map<string, string>();
  const reactedTo = new Map<string, ReadonlySet<string>>();
  const network = (account: string | undefined) => (account === undefined ? undefined : networks.get(account));

  function learn(chat: BeeperChat): InboundChat {
    chats.set(chat.id, chat);
    return toChat(chat, { network });
  }

  async function list(signal: AbortSignal): Promise<InboundChat[]> {
    for (const { accountID, network: name } of readAccounts(await ask({ path: ['accounts'], signal }))) {
      if (name) networks.set(accountID, name);
    }
    const found: InboundChat[] = [];
    for (let cursor: string | undefined; found.length < MAX_CHATS; ) {
      const query = cursor === undefined ? {} : { cursor, direction: 'before' };
      const page = readChats(await ask({ path: ['chats'], query, signal }));
      found.push(...page.items.map(learn));
      if (!page.hasMore || !page.oldestCursor || page.oldestCursor === cursor || page.items.length === 0) break;
      cursor = page.oldestCursor;
    }
    return found;
  }

  async function find(id: string, signal: AbortSignal): Promise<InboundChat | undefined> {
    const answer = await ask({ path: ['chats', id], signal }).catch((error: unknown) => {
      if (error instanceof BeeperError && error.status === 404) return undefined;
      throw error;
    });
    const chat = readChat(answer);
    return chat && learn(chat);
  }

  return {
    list,
    learn,
    find,
    network,
    chat: (id) => chats.get(id),
    reacted(message, people) {
      const before = reactedTo.get(message) ?? new Set();
      reactedTo.delete(message);
      if (people.size > 0) reactedTo.set(message, people);
      const [oldest] = reactedTo.keys();
      if (reactedTo.size > MAX_REACTED && oldest !== undefined) reactedTo.delete(oldest);
      return before;
    },
  };
}
