import type { Retention } from '../capability.ts';
import {
  type CloseReason,
  decide,
  evolve,
  type Session,
  type SessionEvent,
  type SessionRepository,
} from '../domain/session.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export interface HousekeepingParts {
  sessions: SessionRepository;
  retention: readonly Retention[];
  clock: Clock;
  log: Log;
  /** When an HTTP session whose client does not reconnect is closed. */
  sessionIdleMs: number;
  /** Whether the client of this session has reconnected. */
  isHeld(session: Session): boolean;
}

const DAY = 24 * 60 * 60 * 1000;
/** How long clients of an earlier owner have to reconnect. */
const GRACE_MS = 60_000;
const SWEEP_MS = 5 * 60_000;
const PAGE = 1_000;

/** Periodic work of the owner: closes sessions whose client did not return, and deletes old data. */
export function startHousekeeping(parts: HousekeepingParts): () => Promise<void> {
  const { log, clock } = parts;
  const startedAt = clock.now();
  let work: Promise<unknown> = Promise.resolve();

  function run(job: () => Promise<unknown>): void {
    work = work.then(job).catch((err: unknown) => log.warn({ err }, 'housekeeping of the store failed'));
  }

  const first = setTimeout(() => {
    run(() => closeLostSessions(parts, startedAt));
    run(() => forgetOld(parts));
  }, GRACE_MS);
  const often = setInterval(() => run(() => closeLostSessions(parts, startedAt)), SWEEP_MS);
  const daily = setInterval(() => run(() => forgetOld(parts)), DAY);
  for (const timer of [first, often, daily]) timer.unref();
  return async () => {
    clearTimeout(first);
    clearInterval(often);
    clearInterval(daily);
    await work;
  };
}

/** HTTP clients reconnect only with their next request, so their sessions are closed later than others. */
async function closeLostSessions(parts: HousekeepingParts, startedAt: number): Promise<void> {
  const { sessions, clock, sessionIdleMs, isHeld } = parts;
  const reasonOf = ({ transport, createdAt, activeAt }: Session): CloseReason | undefined => {
    if (transport === 'http') return activeAt < clock.now() - sessionIdleMs ? 'idle' : undefined;
    return createdAt < startedAt ? 'connection lost' : undefined;
  };
  for (let before: Session['id'] | undefined; ; ) {
    const page = await sessions.list({ open: true, limit: PAGE, ...(before === undefined ? {} : { before }) });
    for (const session of page) {
      const reason = isHeld(session) ? undefined : reasonOf(session);
      if (!reason) continue;
      const events: SessionEvent[] = decide(session, { kind: 'close', reason, at: clock.now() });
      await sessions.save(events.reduce<Session>(evolve, session), events);
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

async function forgetOld({ retention, clock, log }: HousekeepingParts): Promise<void> {
  const forgotten: Record<string, number> = {};
  for (const { what, forget } of retention) forgotten[what] = await forget(clock.now());
  if (Object.values(forgotten).some((count) => count > 0)) log.info(forgotten, 'old data was deleted');
}
