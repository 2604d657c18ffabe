import { AppError } from './errors.ts';
import { answerableIdentity, isOwner, type Principal } from './principal.ts';

export interface QuotaLimits {
  readonly total: number;
  /** For each token but the owner's. */
  readonly perToken: number;
}

export interface Quota {
  /** Throws BUSY over a limit; otherwise returns the function that gives back what was taken. */
  take(principal: Principal, amount?: number): () => void;
  taken(): number;
}

/** The part of the total that only the owner gets, so that tokens cannot keep the owner out together. */
const OWNER_SHARE = 0.1;

/**
 * Limits what all principals hold at the same time, in total and per token. `what` names it in errors, such as "requests
 * are running".
 */
export function createQuota(what: { things: string; state: string }, limits: () => QuotaLimits): Quota {
  const held = new Map<string, number>();
  let total = 0;

  function change(identity: string, amount: number): void {
    total += amount;
    const now = (held.get(identity) ?? 0) + amount;
    if (now === 0) held.delete(identity);
    else held.set(identity, now);
  }

  return {
    take(principal, amount = 1) {
      const identity = answerableIdentity(principal);
      const { total: maxTotal, perToken } = limits();
      if (!isOwner(principal)) {
        if ((held.get(identity) ?? 0) + amount > perToken) throw busy(what, perToken, 'of this token');
        if (total + amount > maxTotal - Math.floor(maxTotal * OWNER_SHARE)) throw busy(what, total, 'in all');
      }
      if (total + amount > maxTotal) throw busy(what, maxTotal, 'in all');
      change(identity, amount);
      let isTaken = true;
      return () => {
        if (isTaken) change(identity, -amount);
        isTaken = false;
      };
    },
    taken: () => total,
  };
}

export function busy({ things, state }: { things: string; state: string }, count: number, whose: string): AppError {
  return new AppError('BUSY', `${count} ${things} ${whose} ${state} already, which is the limit.`, {
    hint: 'Try again when one of them has ended.',
  });
}

/**
 * What may be ended for a newcomer when a total is reached, in the order to try: the groups of the principals that hold
 * the most first. What the owner holds is ended only for the owner, and no token displaces one that holds less.
 */
export function displaceable<T extends { principal: Principal }>(
  held: Iterable<T>,
  newcomer: Principal,
): readonly (readonly T[])[] {
  const groups = Object.values(Object.groupBy(held, ({ principal }) => answerableIdentity(principal))) as [T, ...T[]][];
  const identity = answerableIdentity(newcomer);
  const own = groups.find(([{ principal }]) => answerableIdentity(principal) === identity)?.length ?? 0;
  return groups
    .filter(([{ principal }, ...more]) => isOwner(newcomer) || (!isOwner(principal) && more.length + 1 >= own))
    .sort((a, b) => b.length - a.length || Number(isOwner(a[0].principal)) - Number(isOwner(b[0].principal)));
}
