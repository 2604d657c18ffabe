import type { InboundEvent } from '../domain/chat.ts';

/** Clocks differ; nobody's is wrong by more than this and meant. */
const LEEWAY_MS = 24 * 60 * 60 * 1000;

/** What claims to have been said in the future was said now: it would stand above everything else for ever. */
export function notFromTheFuture(events: readonly InboundEvent[], now: number): readonly InboundEvent[] {
  const latest = now + LEEWAY_MS;
  const isSound = (event: InboundEvent) => event.kind !== 'message' || event.message.at <= latest;
  if (events.every(isSound)) return events;
  return events.map((event) =>
    event.kind === 'message' && !isSound(event) ? { ...event, message: { ...event.message, at: now } } : event,
  );
}
