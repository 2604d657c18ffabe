import { AppError } from '../domain/errors.ts';
import { closest } from '../lib/did-you-mean.ts';
import { quotedName } from '../lib/shown-name.ts';
import { fromVisible, visible } from '../lib/visible.ts';
import type { ChatStore, StoredChat } from './ports.ts';
import type { Sources, SourceView } from './sources.ts';

export interface LookupParts {
  sources: Sources;
  chats: ChatStore;
}

/** Names per source that are compared for a suggestion. */
const MAX_NAMES = 500;
const MAX_CANDIDATES = 5;
const MAX_TEXT_LENGTH = 100;

/** The source with this id; it is connected, or has messages from before. */
export async function readableSource({ sources }: Pick<LookupParts, 'sources'>, id: string): Promise<SourceView> {
  const source = await knownSource(sources, id);
  if (source.isConnected || source.everSynced) return source;
  throw new AppError('SOURCE_NOT_CONNECTED', `Source '${sanitize(id)}' is not connected. ${source.howToConnect}`, {
    field: 'source',
    ...(source.problem === undefined ? {} : { hint: source.problem }),
  });
}

export async function knownSource(sources: Sources, id: string): Promise<SourceView> {
  const found = await sources.find(id);
  if (found) return found;
  throw sourceNotFound(id, await listedSources(sources));
}

/** `known`: the ids of all sources that the caller may use. */
export function sourceNotFound(id: string, known: readonly string[], field = 'source'): AppError {
  return new AppError('SOURCE_NOT_FOUND', `Source '${sanitize(id)}' not found`, {
    field,
    hint: known.length === 0 ? 'No source is configured yet.' : listNames(known),
  });
}

/** The chats with this id or name, or with a name that contains it; at least one. `listed`: the ids of all sources, if known. */
export async function findChats(
  { chats, sources }: LookupParts,
  wanted: string,
  source?: string,
  listed?: readonly string[],
): Promise<readonly StoredChat[]> {
  const within = source === undefined ? (listed ?? (await listedSources(sources))) : [source];
  // A caller may have got it with its invisible characters shown.
  const found = await chats.resolve(within, wanted);
  const others = found.length > 0 || !wanted.includes('\\') ? found : await chats.resolve(within, fromVisible(wanted));
  if (others.length > 0) return others;
  const where = source === undefined ? 'any source' : `source '${source}'`;
  throw new AppError('CHAT_NOT_FOUND', `Chat '${sanitize(wanted)}' not found in ${where}`, {
    field: 'chat',
    hint:
      source === undefined && within.includes(wanted)
        ? `There is a source of this id: on the command line, '${wanted}:*'`
        : await suggestion({ chats, sources }, wanted, within),
  });
}

/** The only chat that matches; throws CHAT_AMBIGUOUS if several do. */
export async function findOneChat(parts: LookupParts, wanted: string, source: string): Promise<StoredChat> {
  const [first, ...others] = await findChats(parts, wanted, source);
  if (!first) throw new Error('findChats returned no chat');
  if (others.length === 0) return first;
  throw ambiguousChat(wanted, source, [first, ...others]);
}

export function ambiguousChat(wanted: string, source: string, chats: readonly StoredChat[]): AppError {
  return new AppError('CHAT_AMBIGUOUS', `Chat '${sanitize(wanted)}' fits ${chats.length} chats in source '${source}'`, {
    field: 'chat',
    hint: `Name one by its id: ${candidates(chats)}.`,
  });
}

/** Names of chats are untrusted text: they are quoted, on one line, and shortened. */
export function candidates(chats: readonly StoredChat[]): string {
  const named = chats.slice(0, MAX_CANDIDATES).map(({ id, name }) => `${quotedName(name)} (id ${quotedName(id)})`);
  return [...named, ...(chats.length > MAX_CANDIDATES ? ['…'] : [])].join(', ');
}

/** Sources to search by default: the store may still hold messages of sources that were removed. */
async function listedSources(sources: Sources): Promise<string[]> {
  return (await sources.list()).map(({ id }) => id);
}

/** The most similar name, or some names of existing chats. */
async function suggestion(parts: LookupParts, wanted: string, sources: readonly string[]): Promise<string> {
  const pages = await Promise.all(sources.map((id) => parts.chats.list(id, {}, { limit: MAX_NAMES })));
  const chats = pages.flatMap((page) => page.chats).sort((a, b) => (b.lastMessageAt ?? 0) - (a.lastMessageAt ?? 0));
  const names = [...new Set(chats.map(({ name }) => name))];
  const similar = closest(wanted, names);
  if (similar !== undefined) return `Did you mean ${quotedName(similar)}?`;
  return names.length === 0 ? 'There are no chats yet.' : listNames(names.map(quotedName), MAX_CANDIDATES);
}

function listNames(names: readonly string[], max = names.length): string {
  const listed = names.slice(0, max).join(', ');
  return `There ${names.length === 1 ? 'is' : 'are'}: ${listed}${names.length > max ? ', …' : '.'}`;
}

/** Untrusted text within one of our sentences: on one line, visible, and shortened. */
export function sanitize(text: string): string {
  const line = visible(text);
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH)}…` : line;
}
