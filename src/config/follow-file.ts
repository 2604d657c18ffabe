import { type Stats, unwatchFile, watchFile } from 'node:fs';

const LOOK_MS = 1_000;
/** Whoever writes a file may do so in several steps. */
const SETTLE_MS = 200;

/**
 * Tells when a file changes, comes or goes, however it is replaced and wherever a link leads. It is looked at again and
 * again: what the system would tell by itself differs from disk to disk.
 */
export function followFile(path: string, onChange: () => void, lookMs = LOOK_MS): () => void {
  let settling: NodeJS.Timeout | undefined;
  const look = (now: Stats, before: Stats) => {
    // That it is not there is told once, though nothing has changed.
    if (now.ino === 0 && before.ino === 0) return;
    clearTimeout(settling);
    settling = setTimeout(onChange, SETTLE_MS);
    settling.unref();
  };
  watchFile(path, { interval: lookMs, persistent: false }, look);
  return () => {
    clearTimeout(settling);
    unwatchFile(path, look);
  };
}
