import { AppError } from '../domain/errors.ts';

export interface Limits {
  maxConcurrent: number;
  maxConcurrentTotal: number;
  requestTimeoutMs: number;
  maxLineBytes: number;
}

/** Counts requests that run at the same time: per connection and over all of them. */
export interface Gate {
  /** Throws a busy error over the limit; otherwise returns how to leave again. */
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
