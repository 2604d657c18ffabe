import { setFlagsFromString } from 'node:v8';

/** By that time a server has been started, and most of what it has created stays. */
const STARTED_MS = 5_000;

/**
 * For a process that runs for long and mostly answers small requests.
 *
 * New objects are collected by the thread that created them. V8 would wake threads for that, up to one per core, which
 * takes longer than the work itself, and they take the cores from the processes that a request passes through.
 *
 * The memory for new objects is kept at its smallest size during the start. V8 would let it grow to 16 MB, since almost
 * all objects of a start stay, and an idle process would keep that. Later it grows with the work.
 */
export function tuneGarbageCollection(): void {
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), STARTED_MS).unref();
}

/** For threads that do much at once: theirs may grow from their beginning, also during the start of the process. */
export function letNewSpaceGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
