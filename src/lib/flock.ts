import { constants } from 'node:os';
import { backoffDelay, withJitter } from './backoff.ts';
import { loadForeignFunctions } from './foreign-functions.ts';
import { monotonicMs } from './monotonic.ts';

export type LockKind = 'shared' | 'exclusive';

const OPERATIONS = { shared: 1, exclusive: 2 } as const;
const DO_NOT_WAIT = 4;
const RETRY = { firstMs: 1, longestMs: 8, factor: 1.5 };
/** A caller that has waited this long retries as often as it can, so that later callers are not always faster. */
const LONG_WAIT_MS = 400;

interface Flock {
  call(file: number, operation: number): number;
  errno(): number;
}

let loaded: Flock | undefined;

/**
 * Takes flock(2) on an open file, the lock that other programs use on the same files. The thread never blocks in the
 * kernel: it retries with pauses. Returns false if another process holds the lock for too long. The lock is released
 * when the file is closed, also by the end of the process.
 */
export async function flock(file: number, kind: LockKind, patienceMs: number): Promise<boolean> {
  const { call, errno } = loadFlock();
  const startedAt = monotonicMs();
  for (let attempts = 1; ; attempts++) {
    if (call(file, OPERATIONS[kind] | DO_NOT_WAIT) === 0) return true;
    const code = errno();
    if (code === constants.errno.EINTR) continue;
    if (code !== constants.errno.EWOULDBLOCK) throw new Error(`flock failed with error ${code}`);
    const waited = monotonicMs() - startedAt;
    if (waited >= patienceMs) return false;
    await sleep(waited > LONG_WAIT_MS ? RETRY.firstMs : withJitter(backoffDelay(attempts, RETRY)));
  }
}

function loadFlock(): Flock {
  if (loaded) return loaded;
  try {
    const foreign = loadForeignFunctions();
    loaded = { call: foreign.load(null).func('int flock(int file, int operation)'), errno: () => foreign.errno() };
    return loaded;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`flock(2) cannot be called: ${reason}`, { cause });
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
