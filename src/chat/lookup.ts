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
  const ids = (await sources.list()).map((source) => source.id);
  throw new AppError('SOURCE_NOT_FOUND', `Source '${shown(id)}' not found`, {
    field: 'source',
    hint: ids.length === 0 ? 'No source is configured yet.' : `There is: ${ids.join(', ')}.`,
  });
}

/** The chats that somebody means by an id, a name or a part of one; at least one. */
export async function chatsCalled(
  { chats, sources }: LookupParts,
  wanted: string,
  source?: string,
  within: readonly string[] | undefined = source === undefined ? undefined : [source],
): Promise<readonly StoredChat[]> {
  const found = await chats.resolve(within, wanted);
  if (found.length > 0) return found;
  const where = source === undefined ? 'any source' : `source '${source}'`;
  throw new AppError('CHAT_NOT_FOUND', `Chat '${shown(wanted)}' not found in ${where}`, {
    field: 'chat',
    hint: await suggestion({ chats, sources }, wanted, source),
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

async function suggestion(parts: LookupParts, wanted: string, source: string | undefined): Promise<string> {
  const ids = source === undefined ? (await parts.sources.list()).map(({ id }) => id) : [source];
  if (source === undefined && ids.includes(wanted))
    return `There is a source of this id: on the command line, ${wanted}:*`;
  const pages = await Promise.all(ids.map((id) => parts.chats.list(id, {}, { limit: MOST_NAMES })));
  const names = pages.flatMap(({ chats }) => chats.map(({ name }) => name));
  const meant = closest(wanted, names);
  return meant === undefined ? 'list_chats shows the chats there are.' : `Did you mean ${quoted(meant)}?`;
}

function quoted(text: string): string {
  return JSON.stringify(shown(text));
}

/** What a caller or a stranger wrote, in a sentence of ours. */
export function shown(text: string): string {
  const line = visible(text);
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
