import { setFlagsFromString } from 'node:v8';

/** By that time a server has been started, and most of what it has created stays. */
const STARTED_MS = 5_000;

/**
 * Keeps the memory for new objects at its smallest size during the start. V8 would let it grow to 16 MB, since almost all
 * objects of a start stay, and an idle process would keep that. Later it grows with the work.
 */
export function startWithSmallYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), STARTED_MS).unref();
}
