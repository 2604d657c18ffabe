import { existsSync } from 'node:fs';
import { AppError } from '../../domain/errors.ts';
import { backoffDelay, withJitter } from '../../lib/backoff.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { Warn } from '../mailbox/quarantine.ts';
import { type DeliveryState, type OpenDeliveryState, openDeliveryState } from './delivery-state.ts';
import { isBusy, isDamage, stateFilePath } from './state-file.ts';

/** The delivery state of each mail folder, opened on first use. */
export interface DeliveryStates {
  /** Its methods never throw: mail is delivered even if its state cannot be stored. */
  of(mailFolder: string): DeliveryState;
  /**
   * Runs work that needs the state, and runs it again while another process writes, without blocking the event loop.
   * Fails with BUSY after two seconds. If the state cannot be stored at all, the work runs without it.
   */
  retryWhileBusy<T>(mailFolder: string, work: (state: DeliveryState) => T | Promise<T>): Promise<T>;
  close(): void;
}

const RETRY_FOR_MS = 2_000;
const RETRY = { firstMs: 4, longestMs: 40 };
/** After a failure the state is not tried for this long: each attempt would wait for the lock. */
const SKIP_AFTER_FAILURE_MS = 500;

/** Another process is writing the state. */
class StateBusy extends Error {
  override readonly name = 'StateBusy';
}

type Kind = 'read' | 'write';

/** Runs one method of the state; returns `fallback` if the state cannot be used. */
type Attempt = <T>(kind: Kind, use: (state: DeliveryState) => T, fallback: T) => T;

export function createDeliveryStates(warn: Warn): DeliveryStates {
  const opened = new Map<string, OpenDeliveryState>();
  const failures = new Map<string, { until: number; wasBusy: boolean }>();

  function open(mailFolder: string): DeliveryState {
    const state = opened.get(mailFolder) ?? openDeliveryState(mailFolder, warn);
    opened.set(mailFolder, state);
    return state;
  }

  /** Reading creates no file. */
  function isMissing(mailFolder: string): boolean {
    return !opened.has(mailFolder) && !existsSync(stateFilePath(mailFolder));
  }

  function failed(mailFolder: string, kind: Kind, error: unknown): void {
    warn(`the delivery state in ${mailFolder} cannot be stored: ${(error as Error).message}`);
    if (!isDamage(error)) {
      const failure = { until: monotonicMs() + SKIP_AFTER_FAILURE_MS, wasBusy: isBusy(error) };
      return void failures.set(`${kind} ${mailFolder}`, failure);
    }
    // The next use renames the damaged file and creates a new one.
    opened.get(mailFolder)?.close();
    opened.delete(mailFolder);
  }

  function isSkipped(mailFolder: string, kind: Kind, retries: boolean): boolean {
    const { until, wasBusy } = failures.get(`${kind} ${mailFolder}`) ?? { until: 0, wasBusy: false };
    return monotonicMs() < until && !(retries && wasBusy);
  }

  /** With `retries`, a busy file throws `StateBusy` instead of returning the fallback. */
  function attemptIn(mailFolder: string, retries: boolean): Attempt {
    return (kind, use, fallback) => {
      if (isSkipped(mailFolder, kind, retries)) return fallback;
      try {
        return kind === 'read' && isMissing(mailFolder) ? fallback : use(open(mailFolder));
      } catch (error) {
        if (retries && isBusy(error)) throw new StateBusy();
        failed(mailFolder, kind, error);
        return fallback;
      }
    };
  }

  return {
    of: (mailFolder) => withFallbacks(attemptIn(mailFolder, false)),
    async retryWhileBusy(mailFolder, work) {
      const state = withFallbacks(attemptIn(mailFolder, true));
      const giveUpAt = monotonicMs() + RETRY_FOR_MS;
      for (let attempts = 1; ; attempts++) {
        try {
          return await work(state);
        } catch (error) {
          if (!(error instanceof StateBusy)) throw error;
          if (monotonicMs() > giveUpAt) throw busy(mailFolder);
          await sleep(withJitter(backoffDelay(attempts, RETRY)));
        }
      }
    },
    close() {
      for (const state of opened.values()) state.close();
      opened.clear();
    },
  };
}

function withFallbacks(attempt: Attempt): DeliveryState {
  const write = (use: (state: DeliveryState) => void) => attempt('write', use, undefined);
  return {
    stored: (letter) => write((state) => state.stored(letter)),
    answerable: (from, to) => attempt('read', (state) => state.answerable(from, to), undefined),
    announced: (ids, by, now) => write((state) => state.announced(ids, by, now)),
    fetched: (id, now) => write((state) => state.fetched(id, now)),
    bounced: (id, now) => write((state) => state.bounced(id, now)),
    recipientWindow: (id) => attempt('read', (state) => state.recipientWindow(id), undefined),
    open: () => attempt('read', (state) => state.open(), []),
    replies: (position, limit) => attempt('read', (state) => state.replies(position, limit), { replies: [] }),
    sentBy: (sender, limit) => attempt('read', (state) => state.sentBy(sender, limit), []),
    lease: (lease, now, hint) => attempt('write', (state) => state.lease(lease, now, hint), true),
    leased: (now) => attempt<ReadonlySet<string>>('read', (state) => state.leased(now), new Set()),
    release: (lease) => write((state) => state.release(lease)),
    settle: (id, mailbox, now, hint) => write((state) => state.settle(id, mailbox, now, hint)),
    hint: (mailbox) => attempt('read', (state) => state.hint(mailbox), undefined),
    dropHint: (mailbox) => write((state) => state.dropHint(mailbox)),
    sawWindows: (windows, now) => write((state) => state.sawWindows(windows, now)),
    namesOf: (window) => attempt('read', (state) => state.namesOf(window), []),
    wakeMethod: (agent) => attempt('read', (state) => state.wakeMethod(agent), undefined),
    keepWakeMethod: (agent, method) => write((state) => state.keepWakeMethod(agent, method)),
    dropWakeMethod: (agent) => write((state) => state.dropWakeMethod(agent)),
    keepUnwoken: (agents) => write((state) => state.keepUnwoken(agents)),
    unwoken: () => attempt('read', (state) => state.unwoken(), []),
    exchange: (pair) => attempt('read', (state) => state.exchange(pair), undefined),
    keepExchange: (pair, exchange) => write((state) => state.keepExchange(pair, exchange)),
    dropExchange: (pair) => write((state) => state.dropExchange(pair)),
    exchanges: () => attempt('read', (state) => state.exchanges(), []),
    sawRemoteAgent: (name, now) => write((state) => state.sawRemoteAgent(name, now)),
    remoteAgents: (since) => attempt('read', (state) => state.remoteAgents(since), []),
    forget: (before) => write((state) => state.forget(before)),
  };
}

function busy(mailFolder: string): AppError {
  const path = stateFilePath(mailFolder);
  return new AppError('BUSY', `${path} was locked by another program for ${RETRY_FOR_MS / 1000} seconds`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
