import type { Grants } from '../../domain/grants.ts';
import { once } from '../../lib/once.ts';
import type { ChatFilter, ChatPage, ChatStore, StoredChat } from '../ports.ts';

/** Chats per query. */
const PAGE = 500;

export interface RestrictedChats extends ChatStore {
  /** The granted chats of a source of which single ones are granted. */
  granted(source: string): Promise<readonly StoredChat[]>;
}

export function restrictedChats(chats: ChatStore, { sources, includes }: Grants): RestrictedChats {
  const cache = new Map<string, () => Promise<readonly StoredChat[]>>();

  function granted(source: string): Promise<readonly StoredChat[]> {
    const ids = sources.get(source) ?? [];
    const find = cache.get(source) ?? once(async () => byIds(source, ids === '*' ? [] : ids));
    cache.set(source, find);
    return find();
  }

  async function byIds(source: string, ids: readonly string[]): Promise<readonly StoredChat[]> {
    const found = await Promise.all(
      [...new Set(ids)].map(async (id) => (await chats.resolve([source], id)).filter((chat) => chat.id === id)),
    );
    return found.flat();
  }

  async function everyPage(source: string, filter: ChatFilter): Promise<readonly StoredChat[]> {
    const found: StoredChat[] = [];
    for (let after: string | undefined; ; ) {
      const page = await chats.list(source, filter, { limit: PAGE, ...from(after) });
      found.push(...page.chats.filter(includes));
      if (page.next === undefined) return found;
      after = page.next;
    }
  }

  /** A full page of granted chats. */
  async function list(source: string, filter: ChatFilter, page: { limit: number; after?: string }): Promise<ChatPage> {
    const found: StoredChat[] = [];
    let cursor: string | undefined;
    for (let { after } = page; ; ) {
      const next = await chats.list(source, filter, { limit: PAGE, ...from(after) });
      for (const [index, chat] of next.chats.entries()) {
        if (!includes(chat)) continue;
        // A cursor only if another granted chat follows: it would reveal that there are others.
        if (found.length === page.limit) return { chats: found, ...(cursor === undefined ? {} : { next: cursor }) };
        found.push(chat);
        if (found.length < page.limit) continue;
        // Only the store makes cursors: the same page is read again, up to this chat.
        cursor = (await chats.list(source, filter, { limit: index + 1, ...from(after) })).next;
      }
      if (next.next === undefined) return { chats: found };
      after = next.next;
    }
  }

  return {
    granted,
    async list(source, filter, page) {
      const what = sources.get(source);
      if (what === undefined) return { chats: [] };
      return what === '*' ? chats.list(source, filter, page) : list(source, filter, page);
    },
    async resolve(wantedSources, wanted) {
      const within = [...sources.keys()].filter((source) => wantedSources?.includes(source) ?? true);
      if (within.length === 0) return [];
      const found = (await chats.resolve(within, wanted)).filter(includes);
      if (found.length > 0) return found;
      // The store returns the best matches alone; where none of them is granted, a weaker match may be.
      const parts = await Promise.all(within.map((source) => everyPage(source, { name: wanted })));
      return parts.flat();
    },
    named: async (name, source) => (await chats.named(name, source)).filter(includes),
    async byKey(key) {
      const chat = await chats.byKey(key);
      return chat && includes(chat) ? chat : undefined;
    },
  };
}

function from(after: string | undefined): { after?: string } {
  return after === undefined ? {} : { after };
}
