import type { Session, SessionEvent, SessionRepository } from '../../../src/domain/session.ts';

/** Sessions in memory, with all their events. */
export function memorySessions(): SessionRepository & { events: SessionEvent[] } {
  const kept = new Map<string, Session>();
  const events: SessionEvent[] = [];
  return {
    events,
    async save(session, happened) {
      kept.set(session.id, session);
      events.push(...happened);
    },
    async touch(id, activeAt) {
      const session = kept.get(id);
      if (session) kept.set(id, { ...session, activeAt });
    },
    find: async (id) => kept.get(id),
    delete: async (id) => kept.delete(id),
    list: async () => [...kept.values()],
  };
}
