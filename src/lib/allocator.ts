import { loadForeignFunctions } from './foreign-functions.ts';

/** Parameters of glibc's `mallopt`. */
const M_MMAP_THRESHOLD = -3;
const M_ARENA_MAX = -8;

/** glibc's default, which it raises by itself, up to 32 MB, when a larger piece is freed. */
const LARGE_BYTES = 128 * 1024;
/** glibc's default is eight per core. */
const MAX_ARENAS = 2;

let isDone = false;

/**
 * Lets work in several threads return its memory to the system. By default glibc soon keeps also large pieces, such as those of
 * batches between two threads, and keeps them for each thread: an import needed some 30 MB more. Other C libraries are left as they are.
 */
export function returnFreedMemory(): void {
  if (isDone || process.platform !== 'linux') return;
  isDone = true;
  try {
    const mallopt = loadForeignFunctions().load(null).func('int mallopt(int parameter, int value)');
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    mallopt(M_ARENA_MAX, MAX_ARENAS);
  } catch {
    // Only the optional package or the function is missing.
  }
}
