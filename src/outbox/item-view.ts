import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { type GrantedChat, readGrants, sendGrants } from '../domain/grants.ts';
import type { OutboxId } from '../domain/ids.ts';
import type { OutboxItem, OutboxStore } from '../domain/outbox.ts';
import type { Principal } from '../domain/principal.ts';

export const STATES = ['queued', 'held', 'sending', 'sent', 'failed', 'uncertain', 'discarded'] as const;

/** An item as people see it: what, to whom, by whom, and how it stands. */
export const ItemView = z.object({
  id: z.string(),
  state: z.enum(STATES),
  kind: z.string(),
  source: z.string(),
  to: z.string().optional(),
  /** The chat's own id, where it is a chat: names can be taken by others. */
  chat_id: z.string().optional(),
  text: z.string().optional(),
  by: z.string(),
  reason: z.string().optional(),
  attempts: z.int(),
  created_at: z.string(),
  changed_at: z.string(),
  due_at: z.string().optional(),
});

export type ItemView = z.output<typeof ItemView>;

export function toItemView(item: OutboxItem): ItemView {
  const { id, state, sender, through, reason, attempts } = item;
  const { to, chat, text } = item.payload;
  return {
    id,
    state,
    kind: sender,
    source: through,
    ...(typeof to === 'string' ? { to } : {}),
    ...(typeof chat === 'string' ? { chat_id: chat } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    by: item.principal,
    ...(reason === undefined ? {} : { reason }),
    attempts,
    created_at: iso(item.createdAt),
    changed_at: iso(item.changedAt),
    ...(state === 'queued' ? { due_at: iso(item.dueAt) } : {}),
  };
}

export const ItemRef = z.string().min(1).max(64).describe('The id of the item, as `outbox list` shows it.');

/** The item, for somebody who may see where it goes. */
export async function findItem(outbox: OutboxStore, id: string, principal: Principal): Promise<OutboxItem> {
  const item = await outbox.find(id as OutboxId);
  if (item && maySee(principal, item)) return item;
  throw new AppError('NOT_FOUND', 'There is no such item in the outbox.', {
    field: 'id',
    hint: '`switchboard outbox list --all` shows what there is.',
  });
}

/** The same for somebody who wants it to leave, and so must be allowed to send there. */
export async function findItemToSend(outbox: OutboxStore, id: string, principal: Principal): Promise<OutboxItem> {
  const item = await findItem(outbox, id, principal);
  if (sendGrants(principal).includes(destinationOf(item))) return item;
  throw new AppError('FORBIDDEN', `${principal.name} may send only to some chats, and this is none of them.`, {
    field: 'id',
  });
}

/** A token that is confined to some chats sees only what goes there. */
export function maySee(principal: Principal, item: OutboxItem): boolean {
  return readGrants(principal).includes(destinationOf(item));
}

function destinationOf({ through: source, lane = '', payload: { to } }: OutboxItem): GrantedChat {
  return { source, id: lane, name: typeof to === 'string' ? to : lane };
}

/** One line, whatever is in it, with the beginning of what it says. */
export function asLine(item: ItemView): string {
  return lineOf(item, item.text === undefined ? undefined : shortened(item.text));
}

/** One line with all that it says: whoever lets it leave has seen it. */
export function asWholeLine(item: ItemView): string {
  return lineOf(item, item.text);
}

/** What an approval or another attempt came to, for whoever asks by a command. */
export function isNotSent({ state }: ItemView): boolean {
  return state === 'failed' || state === 'uncertain';
}

function lineOf({ id, state, source, by, reason, ...item }: ItemView, text: string | undefined): string {
  const what = text === undefined ? 'what it said is forgotten' : JSON.stringify(text);
  return `${id} ${state}: ${what} to ${whereTo(item, source)}, by ${by}.${reason === undefined ? '' : ` ${reason}`}`;
}

function whereTo({ to, chat_id: chat }: Pick<ItemView, 'to' | 'chat_id'>, source: string): string {
  if (to === undefined) return source;
  const id = chat === undefined || chat === to ? '' : ` (id ${JSON.stringify(chat)})`;
  return `${JSON.stringify(to)}${id} through ${source}`;
}

const SHOWN = 200;

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function iso(moment: number): string {
  return new Date(moment).toISOString();
}
