import { AppError } from '../domain/errors.ts';
import { closest } from '../lib/did-you-mean.ts';
import { visible } from '../lib/visible.ts';
import type { ChatStore, StoredChat } from './ports.ts';
import type { Sources, SourceView } from './sources.ts';

export interface LookupParts {
  sources: Sources;
  chats: ChatStore;
}

/** Looked through for the name that somebody may have meant. */
const MOST_NAMES = 500;
const MOST_CANDIDATES = 5;
const LONGEST_SHOWN = 100;

/** The source of this id, where there is anything to read of it. */
export async function readableSource({ sources }: Pick<LookupParts, 'sources'>, id: string): Promise<SourceView> {
  const source = await knownSource(sources, id);
  if (source.isConnected || source.everSynced) return source;
  throw new AppError('SOURCE_NOT_CONNECTED', `Source '${shown(id)}' is not connected. ${source.howToConnect}`, {
    field: 'source',
    ...(source.problem === undefined ? {} : { hint: source.problem }),
  });
}

export async function knownSource(sources: Sources, id: string): Promise<SourceView> {
  const found = await sources.find(id);
  if (found) return found;
  const ids = await listedSources(sources);
  throw new AppError('SOURCE_NOT_FOUND', `Source '${shown(id)}' not found`, {
    field: 'source',
    hint: ids.length === 0 ? 'No source is configured yet.' : thereIs(ids),
  });
}

/** The chats that somebody means by an id, a name or a part of one; at least one. `listed` where it is known what there is. */
export async function chatsCalled(
  { chats, sources }: LookupParts,
  wanted: string,
  source?: string,
  listed?: readonly string[],
): Promise<readonly StoredChat[]> {
  const within = source === undefined ? (listed ?? (await listedSources(sources))) : [source];
  const found = await chats.resolve(within, wanted);
  if (found.length > 0) return found;
  const where = source === undefined ? 'any source' : `source '${source}'`;
  throw new AppError('CHAT_NOT_FOUND', `Chat '${shown(wanted)}' not found in ${where}`, {
    field: 'chat',
    hint:
      source === undefined && within.includes(wanted)
        ? `There is a source of this id: on the command line, '${wanted}:*'`
        : await suggestion({ chats, sources }, wanted, within),
  });
}

/** The one chat that somebody means; where it could be several, nobody chooses for them. */
export async function oneChatCalled(parts: LookupParts, wanted: string, source: string): Promise<StoredChat> {
  const [first, ...others] = await chatsCalled(parts, wanted, source);
  if (!first) throw new Error('a chat was found and is not there');
  if (others.length === 0) return first;
  throw ambiguousChat(wanted, source, [first, ...others]);
}

export function ambiguousChat(wanted: string, source: string, chats: readonly StoredChat[]): AppError {
  return new AppError('CHAT_AMBIGUOUS', `Chat '${shown(wanted)}' fits ${chats.length} chats in source '${source}'`, {
    field: 'chat',
    hint: `Name one by its id: ${candidates(chats)}.`,
  });
}

/** Names of chats are strangers' words: they stand in quotes, on one line, and not at any length. */
export function candidates(chats: readonly StoredChat[]): string {
  const named = chats.slice(0, MOST_CANDIDATES).map(({ id, name }) => `${quoted(name)} (id ${quoted(id)})`);
  return [...named, ...(chats.length > MOST_CANDIDATES ? ['…'] : [])].join(', ');
}

/** What is read where nobody says which: of a source that is not there any more something may be left in the store. */
async function listedSources(sources: Sources): Promise<string[]> {
  return (await sources.list()).map(({ id }) => id);
}

/** The name that was probably meant; otherwise what there is, as far as somebody would read on. */
async function suggestion(parts: LookupParts, wanted: string, sources: readonly string[]): Promise<string> {
  const pages = await Promise.all(sources.map((id) => parts.chats.list(id, {}, { limit: MOST_NAMES })));
  const chats = pages.flatMap((page) => page.chats).sort((a, b) => (b.lastMessageAt ?? 0) - (a.lastMessageAt ?? 0));
  const names = [...new Set(chats.map(({ name }) => name))];
  const meant = closest(wanted, names);
  if (meant !== undefined) return `Did you mean ${quoted(meant)}?`;
  return names.length === 0 ? 'There are no chats yet.' : thereIs(names.map(quoted), MOST_CANDIDATES);
}

function thereIs(names: readonly string[], most = names.length): string {
  const told = names.slice(0, most).join(', ');
  return `There ${names.length === 1 ? 'is' : 'are'}: ${told}${names.length > most ? ', …' : '.'}`;
}

function quoted(text: string): string {
  return JSON.stringify(shown(text));
}

/** What a caller or a stranger wrote, in a sentence of ours. */
export function shown(text: string): string {
  const line = visible(text);
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
