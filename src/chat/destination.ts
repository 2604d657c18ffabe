import { AppError } from '../domain/errors.ts';
import { sendGrants } from '../domain/grants.ts';
import type { Principal } from '../domain/principal.ts';
import { ambiguousChat, candidates, findChats, type LookupParts, sanitize } from './lookup.ts';
import type { Sending } from './sending.ts';

/** A chat to send to. One that is not stored yet has its address as its id and name. */
export interface Destination {
  id: string;
  name: string;
  /** Missing if it is not stored yet. */
  key?: number;
}

interface DestinationParts extends LookupParts {
  sending: Pick<Sending, 'addressOf'>;
  principal: Principal;
}

/**
 * The one chat with this id, with this address of the network, or with this whole name. Part of a name is enough to read, but not
 * to send: sending cannot be undone.
 */
export async function destinationOf(parts: DestinationParts, source: string, wanted: string): Promise<Destination> {
  const { chats, sending } = parts;
  const found = await chats.resolve([source], wanted);
  const same = found.find(({ id }) => id === wanted);
  if (same) return same;
  const address = await sending.addressOf(source, wanted);
  if (address !== undefined) return atAddress(parts, source, { address, wanted });
  const named = found.filter(({ name }) => foldCase(name) === foldCase(wanted));
  const [only] = named;
  if (only && named.length === 1) return only;
  if (found.length > 1) throw ambiguousChat(wanted, source, named.length > 1 ? named : found);
  const similar = await findChats(parts, wanted, source);
  throw new AppError('CHAT_NOT_FOUND', `Chat '${sanitize(wanted)}' not found in source '${source}'`, {
    field: 'chat',
    hint: `Messages are sent only to the id or the whole name of a chat. Is it ${candidates(similar)}?`,
  });
}

async function atAddress(
  { chats, principal }: DestinationParts,
  source: string,
  { address: id, wanted }: { address: string; wanted: string },
): Promise<Destination> {
  const known = (await chats.resolve([source], id)).find((chat) => chat.id === id);
  if (known) return known;
  // The case that the user wrote is kept where only that differs.
  const name = foldCase(wanted) === foldCase(id) ? wanted : id;
  if (sendGrants(principal).includes({ source, id })) return { id, name };
  throw new AppError('FORBIDDEN', `${principal.name} may send only to some chats, and this is none of them.`, {
    field: 'chat',
  });
}

function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
