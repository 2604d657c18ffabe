import type { Principal } from '../domain/principal.ts';
import type { Session, SessionRepository } from '../domain/session.ts';

/** Sessions per query. */
const PAGE = 500;

type ReadableSessions = Pick<SessionRepository, 'list' | 'find'>;

/** The sessions of the caller itself, for one that is confined to some chats: others appear not to exist. */
export function ownSessions(sessions: ReadableSessions, principal: Principal): ReadableSessions {
  const isOwn = (session: Session) => session.identity === principal.identity;
  return {
    async find(id) {
      const session = await sessions.find(id);
      return session && isOwn(session) ? session : undefined;
    },
    async list(filter) {
      const { limit = PAGE } = filter ?? {};
      const found: Session[] = [];
      for (let before = filter?.before; ; ) {
        const page = await sessions.list({ ...filter, limit: PAGE, ...(before === undefined ? {} : { before }) });
        found.push(...page.filter(isOwn));
        if (page.length < PAGE || found.length >= limit) return found.slice(0, limit);
        before = page.at(-1)?.id;
      }
    },
  };
}
