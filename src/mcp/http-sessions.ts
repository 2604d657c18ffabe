import { AppError } from '../domain/errors.ts';
import type { SessionId } from '../domain/ids.ts';
import { isOpen } from '../domain/session.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import { type HttpSession, openHttpSession } from './http-session.ts';

export interface SessionLimits {
  sessionIdleMs: number;
  maxSessions: number;
}

/** The sessions of HTTP clients: found by id and owner, closed when idle, limited in number, kept over a restart. */
export function createHttpSessions(parts: DoorParts & SessionLimits) {
  const live = new Map<string, HttpSession>();
  const sweeper = setInterval(() => void closeIdle(), Math.max(1_000, parts.sessionIdleMs / 4));
  sweeper.unref();

  function open(access: ClientAccess): HttpSession {
    if (live.size >= parts.maxSessions) evictOldest();
    const session: HttpSession = openHttpSession(parts, {
      ...access,
      onShutdown: () => void close(session, 'shutdown'),
    });
    return session;
  }

  /** A session can be found once its client has the id. One whose initialize was refused has no id and ends here. */
  function keep(session: HttpSession): void {
    const id = session.session()?.id;
    if (id !== undefined) live.set(id, session);
    else void session.close('client');
  }

  async function find(id: string, access: ClientAccess): Promise<HttpSession | undefined> {
    const session = live.get(id) ?? (await revive(id, access));
    // A session belongs to its principal; other principals cannot find it.
    return session?.session()?.principal === access.principal.name ? session : undefined;
  }

  async function revive(id: string, access: ClientAccess): Promise<HttpSession | undefined> {
    const stored = await parts.sessions.find(id as SessionId);
    const known = live.get(id);
    if (known) return known;
    if (stored?.transport !== 'http' || !isOpen(stored) || stored.principal !== access.principal.name) return;
    // A session of an endpoint with fewer capabilities cannot be resumed on another endpoint.
    if (stored.only.join() !== access.only.join()) return;
    const session: HttpSession = openHttpSession(parts, {
      ...access,
      restored: stored,
      onShutdown: () => void close(session, 'shutdown'),
    });
    live.set(id, session);
    return session;
  }

  async function close(session: HttpSession, reason: 'client' | 'idle' | 'evicted' | 'shutdown'): Promise<void> {
    const id = session.session()?.id;
    if (id !== undefined) live.delete(id);
    await session.close(reason);
  }

  async function closeIdle(): Promise<void> {
    const before = parts.clock.now() - parts.sessionIdleMs;
    await Promise.all([...live.values()].filter((one) => one.idleSince() < before).map((one) => close(one, 'idle')));
  }

  function evictOldest(): void {
    const [oldest] = [...live.values()]
      .filter((session) => session.idleSince() < parts.clock.now())
      .sort((a, b) => a.idleSince() - b.idleSince());
    if (!oldest) {
      throw new AppError('BUSY', `${parts.maxSessions} sessions are open and all are busy.`, {
        hint: 'Try again later.',
      });
    }
    void close(oldest, 'evicted');
  }

  return {
    open,
    keep,
    find,
    close,
    count: () => live.size,
    /** Whether this session is open in this process. */
    holds: (id: string) => live.has(id),
    /** The rights of this principal have changed: its sessions are reopened by their next request. */
    async renew(principal: string): Promise<void> {
      const theirs = [...live].filter(([, session]) => session.session()?.principal === principal);
      for (const [id] of theirs) live.delete(id);
      await Promise.all(theirs.map(([, session]) => session.suspend()));
    },
    async suspendAll(): Promise<void> {
      clearInterval(sweeper);
      await Promise.all([...live.values()].map((session) => session.suspend()));
      live.clear();
    },
  };
}
