import type { LookupParts } from './lookup.ts';
import type { StoredChat } from './ports.ts';

/** One more than the protocol allows in an answer, so that the server can report that there are more. */
const MAX_COMPLETIONS = 101;

/** Completes the arguments `source` and `chat`, which the resource and the prompt have. */
export async function completeChatArgument(
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

/** Of a name that is completed. */
const MAX_NAME = 200;

/** Names of chats, most recently active first; the id where several chats of a source have the same name, or a very long one. */
async function completeChat(prefix: string, parts: LookupParts, source?: string): Promise<string[]> {
  const known = await parts.sources.list();
  const ids = known.map(({ id }) => id).filter((id) => source === undefined || source === '' || id === source);
  const filter = prefix === '' ? {} : { name: prefix };
  const pages = await Promise.all(ids.map((id) => parts.chats.list(id, filter, { limit: MAX_COMPLETIONS })));
  const chats = pages
    .flatMap((page) => page.chats)
    .sort((a, b) => (b.lastMessageAt ?? 0) - (a.lastMessageAt ?? 0))
    .slice(0, MAX_COMPLETIONS);
  return [
    ...new Set(chats.map((chat) => (chat.name.length <= MAX_NAME && hasUniqueName(chat, chats) ? chat.name : chat.id))),
  ];
}

function hasUniqueName({ key, source, name }: StoredChat, chats: readonly StoredChat[]): boolean {
  const folded = name.toLowerCase();
  return chats.every((other) => other.key === key || other.source !== source || other.name.toLowerCase() !== folded);
}
