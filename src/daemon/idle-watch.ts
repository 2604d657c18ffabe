export interface IdleOptions {
  idleExitMs: number;
  /** Somebody is there, or something is under way that must not be left alone. */
  isBusy(): boolean | Promise<boolean>;
  /** `lost`: nobody finds us any more. `homeless`: there is nothing left to be written, and nowhere to write it. */
  place(): 'home' | 'lost' | 'homeless';
  onIdle(): void;
  onLost(): void;
  onHomeless(): void;
}

const CHECK_MS = 1_000;

/** Ends a daemon that nobody needs or finds, and at once one whose home is gone. Returns how to stop watching. */
export function watchIdle(options: IdleOptions): () => void {
  const { idleExitMs, isBusy, place } = options;
  let busyAt = Date.now();

  function check(): void {
    const where = place();
    if (where === 'homeless') return options.onHomeless();
    if (where === 'lost') return options.onLost();
    const busy = isBusy();
    if (typeof busy === 'boolean') judge(busy);
    else void busy.then(judge);
  }

  function judge(busy: boolean): void {
    if (busy) busyAt = Date.now();
    else if (Date.now() - busyAt >= idleExitMs) options.onIdle();
  }

  const timer = setInterval(check, Math.min(CHECK_MS, Math.max(20, idleExitMs / 4)));
  timer.unref();
  return () => clearInterval(timer);
}
