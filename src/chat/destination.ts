import { AppError } from '../domain/errors.ts';
import { sendGrants } from '../domain/grants.ts';
import { bears } from '../domain/policy.ts';
import type { Principal } from '../domain/principal.ts';
import { visible } from '../lib/visible.ts';
import type { ChatStore } from './ports.ts';
import type { Sending } from './sending.ts';

/** A chat that something can be sent to; one that is not stored yet is called by its address. */
export interface Destination {
  id: string;
  name: string;
  /** Missing where it is not stored yet. */
  key?: number;
}

interface Parts {
  chats: Pick<ChatStore, 'resolve'>;
  sending: Pick<Sending, 'addressOf'>;
  principal: Principal;
}

const SHOWN = 10;

/**
 * The one chat that is meant: by the network's id, by an address of the network, or by the whole name. A part of a name is
 * enough to read by, and not to send by: what has left cannot be taken back.
 */
export async function destinationOf(parts: Parts, source: string, wanted: string): Promise<Destination> {
  const { chats, sending, principal } = parts;
  const found = await chats.resolve([source], wanted);
  const same = found.find(({ id }) => id === wanted);
  if (same) return same;
  const address = sending.addressOf(source, wanted);
  if (address !== undefined) return atAddress(address);
  const named = found.filter((chat) => bears(chat, wanted));
  const [only] = named;
  if (only && named.length === 1) return only;
  if (found.length > 1) throw ambiguous(source, wanted, named.length > 1 ? named : found);
  throw notFound(source, wanted, found[0]);

  async function atAddress(id: string): Promise<Destination> {
    const known = (await chats.resolve([source], id)).find((chat) => chat.id === id);
    if (known) return known;
    if (sendGrants(principal).includes({ source, id, name: id })) return { id, name: id };
    throw new AppError('FORBIDDEN', `${principal.name} may send only to some chats, and this is none of them.`, {
      field: 'chat',
    });
  }
}

function ambiguous(source: string, wanted: string, candidates: readonly Destination[]): AppError {
  const shown = candidates.slice(0, SHOWN).map(asHint).join(', ');
  const more = candidates.length > SHOWN ? ` and ${candidates.length - SHOWN} more` : '';
  return new AppError('CHAT_AMBIGUOUS', `'${wanted}' fits ${candidates.length} chats of source '${source}'.`, {
    field: 'chat',
    hint: `Nothing was sent. Say which by its id: ${shown}${more}.`,
  });
}

function notFound(source: string, wanted: string, similar: Destination | undefined): AppError {
  const hint = similar && `Messages are sent only to a chat's id or whole name. Is it ${asHint(similar)}?`;
  return new AppError('CHAT_NOT_FOUND', `Chat '${wanted}' not found in source '${source}'`, { field: 'chat', hint });
}

/** Names are others' words, and cannot be more than words here. */
function asHint({ id, name }: Destination): string {
  return `"${visible(name).replaceAll('"', "'")}" (${visible(id)})`;
}
