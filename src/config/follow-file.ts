import { type Stats, unwatchFile, watchFile } from 'node:fs';

const LOOK_MS = 1_000;
/** Programs may write a file in several steps. */
const SETTLE_MS = 200;

/**
 * Reports when a file changes, appears or disappears, however it is replaced and through symbolic links. It polls,
 * because file system notifications differ from disk to disk.
 */
export function followFile(path: string, onChange: () => void, lookMs = LOOK_MS): () => void {
  let settling: NodeJS.Timeout | undefined;
  const look = (now: Stats, before: Stats) => {
    // A missing file is reported once at the beginning.
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
