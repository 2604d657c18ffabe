import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { type Grants, sendGrants } from '../domain/grants.ts';
import type { OutboxId } from '../domain/ids.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import type { Principal } from '../domain/principal.ts';
import type { ReadChat } from '../domain/read-chats.ts';
import type { OutboxParts } from './ports.ts';

export const STATES = ['queued', 'held', 'sending', 'sent', 'failed', 'uncertain', 'discarded'] as const;

/** An item as a person sees it. `to`, `summary`, `text` and the like are missing once the content has been deleted. */
export const ItemView = z.object({
  id: z.string(),
  state: z.enum(STATES),
  kind: z.string(),
  source: z.string(),
  to: z.string().optional(),
  /** The network's id of the chat: other chats can have the same name. */
  chat_id: z.string().optional(),
  summary: z.string().optional(),
  text: z.string().optional(),
  details: z.record(z.string(), z.string()).optional(),
  by: z.string(),
  approved_by: z.string().optional(),
  reason: z.string().optional(),
  /** The chats that its session had read, where that is why it is or was held. */
  held_because: z
    .array(z.object({ source: z.string(), chat_id: z.string(), chat: z.string(), read_at: z.string() }))
    .optional(),
  attempts: z.int(),
  created_at: z.string(),
  changed_at: z.string(),
  due_at: z.string().optional(),
});

export type ItemView = z.output<typeof ItemView>;

export function toItemView(item: OutboxItem, { describe }: Pick<OutboxParts, 'describe'>): ItemView {
  const { id, state, sender, through, recipients, summary, reason, attempts } = item;
  const description = describe(item);
  return {
    id,
    state,
    kind: sender,
    source: through,
    ...(description && {
      ...(recipients.length === 0 ? {} : { to: recipients.map(({ name }) => name).join(', ') }),
      ...description,
      summary,
    }),
    by: item.principal,
    ...(item.approvedBy === undefined ? {} : { approved_by: item.approvedBy }),
    ...(reason === undefined ? {} : { reason }),
    ...(item.heldBecause === undefined ? {} : { held_because: item.heldBecause.map(toReadView) }),
    attempts,
    created_at: toIso(item.createdAt),
    changed_at: toIso(item.changedAt),
    ...(state === 'queued' ? { due_at: toIso(item.dueAt) } : {}),
  };
}

function toReadView({ source, chat, name, at }: ReadChat) {
  return { source, chat_id: chat, chat: name, read_at: toIso(at) };
}

export const ItemRef = z.string().min(1).max(64).describe('Id of the item, from `outbox list`.');

export async function findItem({ outbox }: Pick<OutboxParts, 'outbox'>, id: string): Promise<OutboxItem> {
  const item = await outbox.find(id as OutboxId);
  if (item) return item;
  throw new AppError('NOT_FOUND', 'There is no such item in the outbox.', {
    field: 'id',
    hint: '`switchboard outbox list --all` shows what there is.',
  });
}

/** The item, where the principal may send to its recipients. */
export async function findItemToSend(
  parts: Pick<OutboxParts, 'outbox'>,
  id: string,
  principal: Principal,
): Promise<OutboxItem> {
  const item = await findItem(parts, id);
  if (covers(sendGrants(principal), item)) return item;
  throw new AppError('FORBIDDEN', `${principal.name} may send only to some chats, and this is none of them.`, {
    field: 'id',
  });
}

/** A token that is confined to some chats sees only messages to them. */
export function covers(
  grants: Grants,
  { through: source, recipients }: Pick<OutboxItem, 'through' | 'recipients'>,
): boolean {
  if (recipients.length === 0) return grants.everything || grants.sources.get(source) === '*';
  return recipients.every((recipient) => grants.includes({ source, ...recipient }));
}

/** One line, with the summary. */
export function toLine(item: ItemView): string {
  return lineOf(item, item.summary);
}

/** One line, with everything that a person must see before approving it. */
export function toFullLine(item: ItemView): string {
  const details = Object.entries(item.details ?? {}).map(([name, value]) => ` ${name}: ${JSON.stringify(value)}.`);
  return `${lineOf(item, item.text)}${details.join('')}`;
}

/** Whether what was approved or retried was not sent, for the exit code of a command. */
export function isNotSent({ state }: ItemView): boolean {
  return state === 'failed' || state === 'uncertain';
}

function lineOf({ id, state, source, by, reason, ...item }: ItemView, text: string | undefined): string {
  const what = text === undefined ? 'what it said is forgotten' : JSON.stringify(text);
  return `${id} ${state}: ${what} to ${destinationOf(item, source)}, by ${by}.${reason === undefined ? '' : ` ${reason}`}`;
}

function destinationOf({ to, chat_id: chat }: Pick<ItemView, 'to' | 'chat_id'>, source: string): string {
  if (to === undefined) return source;
  const id = chat === undefined || chat === to ? '' : ` (id ${JSON.stringify(chat)})`;
  return `${JSON.stringify(to)}${id} through ${source}`;
}

function toIso(timestamp: number): string {
  return new Date(timestamp).toISOString();
}
