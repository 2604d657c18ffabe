import type { LookupParts } from './lookup.ts';
import type { StoredChat } from './ports.ts';

/** One more than a client is told, which tells it that there are others. */
const MOST = 101;

/** What fits an argument of a resource or a prompt: both have a source, and a chat of it. */
export async function completePlace(
  argument: string,
  prefix: string,
  parts: LookupParts,
  chosen: Readonly<Record<string, string>>,
): Promise<string[]> {
  if (argument === 'source') return completeSource(prefix, parts);
  return argument === 'chat' ? completeChat(prefix, parts, chosen.source) : [];
}

async function completeSource(prefix: string, { sources }: Pick<LookupParts, 'sources'>): Promise<string[]> {
  const wanted = prefix.toLowerCase();
  const ids = (await sources.list()).map(({ id }) => id);
  return ids.filter((id) => id.toLowerCase().startsWith(wanted));
}

/** Names of the chats that were active last; the id instead where a name stands for several. */
async function completeChat(prefix: string, parts: LookupParts, source?: string): Promise<string[]> {
  const known = await parts.sources.list();
  const ids = known.map(({ id }) => id).filter((id) => source === undefined || source === '' || id === source);
  const filter = prefix === '' ? {} : { name: prefix };
  const pages = await Promise.all(ids.map((id) => parts.chats.list(id, filter, { limit: MOST })));
  const chats = pages
    .flatMap((page) => page.chats)
    .sort((a, b) => (b.lastMessageAt ?? 0) - (a.lastMessageAt ?? 0))
    .slice(0, MOST);
  return [...new Set(chats.map((chat) => (isAlone(chat, chats) ? chat.name : chat.id)))];
}

function isAlone({ key, source, name }: StoredChat, chats: readonly StoredChat[]): boolean {
  const called = name.toLowerCase();
  return chats.every((other) => other.key === key || other.source !== source || other.name.toLowerCase() !== called);
}
