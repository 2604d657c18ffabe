export interface IdleOptions {
  idleExitMs: number;
  /** Somebody is there, or something is under way that must not be left alone. */
  isBusy(): boolean;
  /** The home is still there, and ours. */
  isAtHome(): boolean;
  onIdle(): void;
  onHomeless(): void;
}

const CHECK_MS = 1_000;

/** Ends a daemon that nobody needs, and at once one whose home is gone. Returns how to stop watching. */
export function watchIdle({ idleExitMs, isBusy, isAtHome, onIdle, onHomeless }: IdleOptions): () => void {
  let busyAt = Date.now();
  const timer = setInterval(
    () => {
      if (!isAtHome()) return onHomeless();
      if (isBusy()) busyAt = Date.now();
      else if (Date.now() - busyAt >= idleExitMs) onIdle();
    },
    Math.min(CHECK_MS, Math.max(20, idleExitMs / 4)),
  );
  timer.unref();
  return () => clearInterval(timer);
}
