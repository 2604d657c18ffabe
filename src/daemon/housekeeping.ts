import type { OutboxStore } from '../domain/outbox.ts';
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

interface Prunable {
  prune(before: number): Promise<number>;
}

export interface HousekeepingParts {
  store: { sessions: SessionRepository; events: Prunable; audit: Prunable; outbox: Pick<OutboxStore, 'forget'> };
  clock: Clock;
  log: Log;
  /** When a session on HTTP whose client does not come back is over. */
  sessionIdleMs: number;
  /** How long the outbox keeps the words of what is finished. */
  keepSentDays: number;
  /** Whether the client of this session has come back. */
  isHeld(session: Session): boolean;
}

const DAY = 24 * 60 * 60 * 1000;
/** How long clients of an earlier owner have to come back. */
const GRACE_MS = 60_000;
const SWEEP_MS = 5 * 60_000;
const KEEP_EVENTS_MS = 30 * DAY;
const KEEP_AUDIT_MS = 90 * DAY;
/** How long the outbox remembers idempotency keys, beyond the words. */
const KEEP_KEYS_MS = 365 * DAY;
const PAGE = 1_000;

/** What the owner of a home does beside serving: ends sessions that nobody came back to, forgets what is old. */
export function startHousekeeping(parts: HousekeepingParts): () => Promise<void> {
  const { log, clock } = parts;
  const startedAt = clock.now();
  let work: Promise<unknown> = Promise.resolve();

  function run(job: () => Promise<unknown>): void {
    work = work.then(job).catch((err: unknown) => log.warn({ err }, 'the store could not be tidied'));
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

/** Clients on HTTP come back when they have something to ask, so that their sessions are closed later than others. */
async function closeLostSessions(parts: HousekeepingParts, startedAt: number): Promise<void> {
  const { store, clock, sessionIdleMs, isHeld } = parts;
  const reasonOf = ({ transport, createdAt, activeAt }: Session): CloseReason | undefined => {
    if (transport === 'http') return activeAt < clock.now() - sessionIdleMs ? 'idle' : undefined;
    return createdAt < startedAt ? 'connection lost' : undefined;
  };
  for (let before: Session['id'] | undefined; ; ) {
    const page = await store.sessions.list({ open: true, limit: PAGE, ...(before === undefined ? {} : { before }) });
    for (const session of page) {
      const reason = isHeld(session) ? undefined : reasonOf(session);
      if (!reason) continue;
      const events: SessionEvent[] = decide(session, { kind: 'close', reason, at: clock.now() });
      await store.sessions.save(events.reduce<Session>(evolve, session), events);
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

async function forgetOld({ store, clock, log, keepSentDays }: HousekeepingParts): Promise<void> {
  const events = await store.events.prune(clock.now() - KEEP_EVENTS_MS);
  const audit = await store.audit.prune(clock.now() - KEEP_AUDIT_MS);
  const words = clock.now() - keepSentDays * DAY;
  const { emptied, gone } = await store.outbox.forget({ content: words, rows: words - KEEP_KEYS_MS });
  if (events + audit + emptied + gone > 0) {
    log.info({ events, audit, outbox: emptied + gone }, 'what is old has been forgotten');
  }
}
