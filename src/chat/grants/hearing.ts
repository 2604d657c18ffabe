import type { EventLog, StoredEvent } from '../../domain/event-log.ts';
import { readGrants } from '../../domain/grants.ts';
import type { JsonObject } from '../../domain/json.ts';
import { allows, type Principal } from '../../domain/principal.ts';

/** What events of chat are called: `message.received`, `messages.imported`, `chat.…`, `source.…`. */
const OURS = /^(?:messages?|chat|source)\./;

/** Whether somebody may hear of what these facts are about: a chat, or a source as a whole. */
export function mayHearOf(principal: Principal, { source, chat_id: id, chat: name = id }: JsonObject): boolean {
  const grants = readGrants(principal);
  if (grants.everything) return true;
  if (typeof source !== 'string') return false;
  if (typeof id !== 'string' || typeof name !== 'string') return grants.sources.get(source) === '*';
  return grants.includes({ source, id, name });
}

/** Whether the event log may tell somebody of an event; what is not of chat is not ours to hide. */
export function mayFollowChat(principal: Principal, { type, data }: StoredEvent): boolean {
  return !OURS.test(type) || (allows(principal, 'chat:read') && mayHearOf(principal, data));
}

type ReadableLog = Pick<EventLog, 'read' | 'range'>;

/** The log of events as somebody may read it: a page is full, though what lies between is left out. */
export function followable(events: ReadableLog, principal: Principal): ReadableLog {
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
