import { AppError } from '../domain/errors.ts';
import type { SessionId } from '../domain/ids.ts';
import { answerableIdentity, isOwner, onRevoked, type Principal, type Revocation } from '../domain/principal.ts';
import { displaceable } from '../domain/quota.ts';
import { type CloseReason, isOpen, type Session } from '../domain/session.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import { type HttpSession, openHttpSession } from './http-session.ts';

export interface SessionLimits {
  sessionIdleMs: number;
  maxSessions: number;
  maxSessionsPerToken: number;
}

/** The sessions of HTTP clients: found by id and owner, closed when idle, limited in number, kept over a restart. */
export function createHttpSessions(parts: DoorParts & SessionLimits) {
  const live = new Map<string, HttpSession>();
  /** Ends waiting for the revocation of the rights of a session. */
  const stops = new WeakMap<HttpSession, () => void>();
  const sweeper = setInterval(() => void closeIdle(), Math.max(1_000, parts.sessionIdleMs / 4));
  sweeper.unref();

  function open(access: ClientAccess): HttpSession {
    makeRoom(access.principal);
    return start(access);
  }

  function start(access: ClientAccess, restored?: Session): HttpSession {
    const session: HttpSession = openHttpSession(parts, {
      ...access,
      ...(restored ? { restored } : {}),
      onShutdown: () => void close(session, 'shutdown'),
    });
    stops.set(
      session,
      onRevoked(access.principal, (why) => void revoke(session, why)),
    );
    return session;
  }

  /** A session can be found once its client has the id. One whose initialize was refused has no id and ends here. */
  function keep(session: HttpSession): void {
    const id = session.session()?.id;
    if (id !== undefined) live.set(id, session);
    else void close(session, 'client');
  }

  function find(id: string, access: ClientAccess): HttpSession | undefined | Promise<HttpSession | undefined> {
    const ifOwn = (session: HttpSession | undefined) => (belongsTo(access, session?.session()) ? session : undefined);
    const session = live.get(id);
    return session ? ifOwn(session) : revive(id, access).then(ifOwn);
  }

  async function revive(id: string, access: ClientAccess): Promise<HttpSession | undefined> {
    const stored = await parts.sessions.find(id as SessionId);
    const known = live.get(id);
    if (known) return known;
    if (stored?.transport !== 'http' || !isOpen(stored) || !belongsTo(access, stored)) return;
    makeRoom(access.principal);
    const session = start(access, stored);
    if (!access.principal.revoked?.aborted) live.set(id, session);
    return session;
  }

  /** Its requests end. A session whose token is still known continues with its rights of then, on its next request. */
  async function revoke(session: HttpSession, why: Revocation): Promise<void> {
    session.connection.wire.endAll(new AppError('FORBIDDEN', 'The rights of this token changed while this ran.'));
    if (why === 'removed') return close(session, 'token removed');
    forget(session);
    await session.suspend();
  }

  async function close(session: HttpSession, reason: CloseReason): Promise<void> {
    forget(session);
    await session.close(reason);
  }

  function forget(session: HttpSession): void {
    stops.get(session)?.();
    const id = session.session()?.id;
    if (id !== undefined && live.get(id) === session) live.delete(id);
  }

  async function closeIdle(): Promise<void> {
    const before = parts.clock.now() - parts.sessionIdleMs;
    await Promise.all([...live.values()].filter((one) => one.idleSince() < before).map((one) => close(one, 'idle')));
  }

  /** The longest idle session of the token with the most sessions ends for a new one. */
  function makeRoom(principal: Principal): void {
    const identity = answerableIdentity(principal);
    const own = [...live.values()].filter((session) => answerableIdentity(session.principal) === identity);
    if (!isOwner(principal) && own.length >= parts.maxSessionsPerToken) {
      evictOldest([own], `${parts.maxSessionsPerToken} sessions of this token`);
    } else if (live.size >= parts.maxSessions) {
      evictOldest(displaceable(live.values(), principal), `${parts.maxSessions} sessions`);
    }
  }

  function evictOldest(groups: readonly (readonly HttpSession[])[], limit: string): void {
    const now = parts.clock.now();
    for (const group of groups) {
      const [oldest] = group.filter((one) => one.idleSince() < now).sort((a, b) => a.idleSince() - b.idleSince());
      if (oldest) return void close(oldest, 'evicted');
    }
    throw new AppError('BUSY', `${limit} are open, which is the limit, and none of them can be closed.`, {
      hint: 'Close a session, or try again later.',
    });
  }

  return {
    open,
    keep,
    find,
    close,
    count: () => live.size,
    /** Whether this session is open in this process. */
    holds: (id: string) => live.has(id),
    async suspendAll(): Promise<void> {
      clearInterval(sweeper);
      await Promise.all([...live.values()].map((session) => session.suspend()));
      live.clear();
    },
  };
}

/** A session belongs to the identity that opened it, on its endpoint; for all others it does not exist. */
function belongsTo({ principal, only }: ClientAccess, session: Session | undefined): boolean {
  return session?.identity === principal.identity && session.only.join() === only.join();
}
