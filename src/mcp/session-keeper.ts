import { AppError } from '../domain/errors.ts';
import { newId, type SessionId } from '../domain/ids.ts';
import {
  type CloseReason,
  decide,
  evolve,
  isOpen,
  type Session,
  type SessionCommand,
  type SessionEvent,
  type SessionRepository,
} from '../domain/session.ts';
import { randomHex } from '../lib/chance.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { introductionOf } from './introduction.ts';

export interface SessionParts {
  repository: SessionRepository;
  clock: Clock;
  log: Log;
}

export interface SessionOptions {
  /** A session of an earlier process, which continues here. */
  restored?: Session;
  /** The last event that its client was notified of, if known. */
  lastNotified?: number;
}

/** How often a client's last activity is stored. */
const ACTIVITY_MS = 60_000;

/**
 * The session of one connection: applies commands to the aggregate immediately and saves them in order. A session
 * that cannot be saved works until the process ends.
 */
export function createSessionKeeper(
  { repository, clock, log }: SessionParts,
  facts: Pick<Session, 'principal' | 'identity' | 'transport' | 'only'>,
  { restored }: SessionOptions = {},
) {
  let session = restored;
  let unsaved: SessionEvent[] = [];
  let saving: Promise<void> = Promise.resolve();
  /** The client's last activity, in memory and in the store. */
  let activeAt = restored?.activeAt ?? 0;
  let storedActiveAt = activeAt;

  function apply(command: SessionCommand): void {
    const events = decide(session, command);
    if (events.length === 0) return;
    const next = events.reduce<Session | undefined>(evolve, session);
    if (!next) return;
    session = next;
    activeAt = Math.max(activeAt, next.activeAt);
    unsaved.push(...events);
    saveAll();
  }

  function saveAll(): Promise<void> {
    saving = saving.then(save);
    return saving;
  }

  /** Events of one command are saved in one transaction. */
  async function save(): Promise<void> {
    if (!session || (unsaved.length === 0 && storedActiveAt === activeAt)) return;
    const events = unsaved;
    unsaved = [];
    storedActiveAt = activeAt;
    try {
      if (events.length > 0) await repository.save({ ...session, activeAt }, events);
      else await repository.touch(session.id, activeAt);
    } catch (err) {
      log.warn({ err, session: session.id }, 'a session could not be saved');
    }
  }

  return {
    current: () => session,

    /** Refuses a second `initialize`. */
    initialize(params: Record<string, unknown> | undefined): Session {
      const introduction = introductionOf(params);
      const at = clock.now();
      if (!session) apply({ kind: 'create', id: newId<SessionId>(at, randomHex), ...facts, at });
      apply({ kind: 'initialize', ...introduction, at });
      if (!session) throw new AppError('INTERNAL', 'The session could not be made.');
      return session;
    },
    /** The SDK refused the initialize; the client may send another. */
    abandon(): void {
      if (session) apply({ kind: 'close', reason: 'client', at: clock.now() });
      saving = saveAll().then(() => {
        session = undefined;
      });
    },
    /** The client has sent a request. */
    used(): void {
      activeAt = clock.now();
      if (session && activeAt - storedActiveAt >= ACTIVITY_MS) void saveAll();
    },
    confirm: () => session && apply({ kind: 'confirm', at: clock.now() }),
    setLogLevel: (level: string) => session && apply({ kind: 'set-log-level', level, at: clock.now() }),
    subscribe: (uri: string) => session && apply({ kind: 'subscribe', uri, at: clock.now() }),
    unsubscribe: (uri: string) => session && apply({ kind: 'unsubscribe', uri, at: clock.now() }),
    beginClose(reason: CloseReason) {
      if (session && isOpen(session)) apply({ kind: 'begin-close', reason, at: clock.now() });
    },
    async close(reason: CloseReason): Promise<void> {
      if (session) apply({ kind: 'close', reason, at: clock.now() });
      await saveAll();
    },
    /** Resolves when everything decided so far is on disk. */
    saved: saveAll,
  };
}

export type SessionKeeper = ReturnType<typeof createSessionKeeper>;
