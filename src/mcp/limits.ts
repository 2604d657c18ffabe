import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { busy, createQuota } from '../domain/quota.ts';

export interface Limits {
  maxConcurrent: number;
  maxConcurrentTotal: number;
  maxConcurrentPerToken: number;
  requestTimeoutMs: number;
  maxLineBytes: number;
}

/** How much longer a request may take than the call in it, so that the call's own timeout is first. */
const GRACE_MS = 5_000;

export function requestLimitMs({ requestTimeoutMs }: Limits): number {
  return requestTimeoutMs + GRACE_MS;
}

export function shuttingDown(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Switchboard is shutting down.');
}

export function tookTooLong(limitMs: number): AppError {
  return new AppError('TIMEOUT', `The request took longer than ${limitMs} ms and was ended.`);
}

/** Limits how many requests run at the same time: per connection, per token and in all. */
export interface Gate {
  /** Throws BUSY over the limit; otherwise returns the function that releases the slot. */
  enter(): () => void;
}

const REQUESTS = { things: 'requests', state: 'are running' };

export function createGates(limits: Limits) {
  const quota = createQuota(REQUESTS, () => ({
    total: limits.maxConcurrentTotal,
    perToken: limits.maxConcurrentPerToken,
  }));

  function createGate(principal: Principal): Gate {
    let here = 0;
    return {
      enter() {
        if (here >= limits.maxConcurrent) throw busy(REQUESTS, limits.maxConcurrent, 'of this connection');
        const release = quota.take(principal);
        here += 1;
        let inside = true;
        return () => {
          if (!inside) return;
          inside = false;
          here -= 1;
          release();
        };
      },
    };
  }

  return { createGate, running: quota.taken };
}

export type Gates = ReturnType<typeof createGates>;
