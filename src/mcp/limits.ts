import { AppError } from '../domain/errors.ts';

export interface Limits {
  maxConcurrent: number;
  maxConcurrentTotal: number;
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

/** Limits how many requests run at the same time, per connection and in all. */
export interface Gate {
  /** Throws BUSY over the limit; otherwise returns the function that releases the slot. */
  enter(): () => void;
}

export function createGates(limits: Limits) {
  let total = 0;

  function createGate(): Gate {
    let here = 0;
    return {
      enter() {
        if (here >= limits.maxConcurrent) throw busy(`${limits.maxConcurrent} requests of this connection`);
        if (total >= limits.maxConcurrentTotal) throw busy(`${limits.maxConcurrentTotal} requests in all`);
        here += 1;
        total += 1;
        let inside = true;
        return () => {
          if (!inside) return;
          inside = false;
          here -= 1;
          total -= 1;
        };
      },
    };
  }

  return { createGate, running: () => total };
}

export type Gates = ReturnType<typeof createGates>;

function busy(what: string): AppError {
  return new AppError('BUSY', `${what} are running already, which is the limit.`, {
    hint: 'Try again when one of them has been answered.',
  });
}
