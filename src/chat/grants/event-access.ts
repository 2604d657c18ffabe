import type { EventLog, StoredEvent } from '../../domain/event-log.ts';
import { readGrants } from '../../domain/grants.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Principal } from '../../domain/principal.ts';
import type { HiddenSources } from './hidden-sources.ts';

const NONE: HiddenSources = { isEmpty: true, has: () => false };

/**
 * Whether a principal may receive an event with this data, which concerns a chat or a whole source. `hidden` are sources
 * that it may not read, regardless of its grants.
 */
export function mayReceive(principal: Principal, facts: JsonObject, hidden = NONE): boolean {
  const { source, chat_id: id } = facts;
  if (typeof source === 'string' && hidden.has(source)) return false;
  const grants = readGrants(principal);
  if (grants.everything) return true;
  if (typeof source !== 'string') return false;
  if (typeof id !== 'string') return grants.sources.get(source) === '*';
  return grants.includes({ source, id });
}

type ReadableLog = Pick<EventLog, 'read' | 'range'>;

/** The events of chat as a principal may read it: pages are full, though events between are left out. */
export function accessibleEvents(events: ReadableLog, principal: Principal, hidden = NONE): ReadableLog {
  if (readGrants(principal).everything && hidden.isEmpty) return events;
  return {
    range: () => events.range(),
    async read(after, filter = {}) {
      const { limit = PAGE } = filter;
      const found: StoredEvent[] = [];
      for (let seen = after; ; ) {
        const page = await events.read(seen, { ...filter, limit });
        found.push(...page.filter(({ data }) => mayReceive(principal, data, hidden)));
        if (page.length < limit || found.length >= limit) return found.slice(0, limit);
        seen = page.at(-1)?.number ?? seen;
      }
    },
  };
}

const PAGE = 1_000;
