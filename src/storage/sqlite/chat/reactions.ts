import type { InboundEvent } from '../../../domain/chat.ts';
import type { SenderReactions } from './rows.ts';

/** Limits what remote senders can add to a message. */
const MAX_SENDERS = 1_000;
const MAX_SIGNS = 50;
const MAX_SIGN_LENGTH = 100;

type ReactionEvent = Extract<InboundEvent, { kind: 'reaction' | 'reactions' }>;

/** The reactions after the event; undefined if it changes nothing. */
export function withReactions(
  reactions: readonly SenderReactions[],
  event: ReactionEvent,
): readonly SenderReactions[] | undefined {
  const { sender, at } = event;
  const before = reactions.find(({ id }) => id === sender.id);
  if (event.kind === 'reactions' && before && at < before.at) return undefined;
  const signs = signsAfter(before?.signs ?? [], event);
  if (sameSigns(signs, before?.signs ?? [])) return undefined;
  const others = reactions.filter(({ id }) => id !== sender.id);
  if (signs.length === 0) return others;
  if (others.length >= MAX_SENDERS) return undefined;
  return [...others, { id: sender.id, name: sender.name || sender.id, signs, at }];
}

function signsAfter(before: readonly string[], event: ReactionEvent): string[] {
  const signs = event.kind === 'reactions' ? event.signs : addOrRemove(before, event);
  return [...new Set(signs.map((sign) => sign.slice(0, MAX_SIGN_LENGTH).toWellFormed()))].slice(0, MAX_SIGNS);
}

function addOrRemove(before: readonly string[], { sign, removed }: ReactionEvent & { kind: 'reaction' }): string[] {
  return removed ? before.filter((each) => each !== sign) : [...before, sign];
}

function sameSigns(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((sign) => other.includes(sign));
}
