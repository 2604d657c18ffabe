import type { EventLog, StoredEvent } from '../../domain/event-log.ts';
import { readGrants } from '../../domain/grants.ts';
import type { JsonObject } from '../../domain/json.ts';
import { allows, type Principal } from '../../domain/principal.ts';

/** Types of chat's events: `message.received`, `messages.imported`, `chat.…`, `source.…`. */
const CHAT_EVENTS = /^(?:messages?|chat|source)\./;

/** Whether a principal may receive an event with this data, which concerns a chat or a whole source. */
export function mayReceive(principal: Principal, { source, chat_id: id, chat: name = id }: JsonObject): boolean {
  const grants = readGrants(principal);
  if (grants.everything) return true;
  if (typeof source !== 'string') return false;
  if (typeof id !== 'string' || typeof name !== 'string') return grants.sources.get(source) === '*';
  return grants.includes({ source, id, name });
}

/** Whether a principal may see an event in the event log; other capabilities decide about their own events. */
export function mayFollowChat(principal: Principal, { type, data }: StoredEvent): boolean {
  return !CHAT_EVENTS.test(type) || (allows(principal, 'chat:read') && mayReceive(principal, data));
}

type ReadableLog = Pick<EventLog, 'read' | 'range'>;

/** The event log without events that the principal may not see. Pages are full nevertheless. */
export function accessibleEvents(events: ReadableLog, principal: Principal): ReadableLog {
  if (readGrants(principal).everything) return events;
  return {
    range: () => events.range(),
    async read(after, filter = {}) {
      const { limit = PAGE } = filter;
      const found: StoredEvent[] = [];
      for (let seen = after; ; ) {
        const page = await events.read(seen, { ...filter, limit });
        found.push(...page.filter((event) => mayFollowChat(principal, event)));
        if (page.length < limit || found.length >= limit) return found.slice(0, limit);
        seen = page.at(-1)?.number ?? seen;
      }
    },
  };
}

const PAGE = 1_000;
