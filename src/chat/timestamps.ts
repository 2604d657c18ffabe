import type { InboundEvent } from '../domain/chat.ts';

/** Clocks differ by less than this. */
const TOLERANCE_MS = 24 * 60 * 60 * 1000;

/** A message with a timestamp in the future gets the current one: otherwise it would remain the newest message for years. */
export function clampTimestamps(events: readonly InboundEvent[], now: number): readonly InboundEvent[] {
  const latest = now + TOLERANCE_MS;
  const isPlausible = (event: InboundEvent) => event.kind !== 'message' || event.message.at <= latest;
  if (events.every(isPlausible)) return events;
  return events.map((event) =>
    event.kind === 'message' && !isPlausible(event) ? { ...event, message: { ...event.message, at: now } } : event,
  );
}
