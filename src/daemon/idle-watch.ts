export interface IdleOptions {
  idleExitMs: number;
  /** There are clients, or work that must not be interrupted. */
  isBusy(): boolean | Promise<boolean>;
  /** `lost`: clients can no longer find us. `homeless`: the home was removed. */
  place(): 'home' | 'lost' | 'homeless';
  onIdle(): void;
  onLost(): void;
  onHomeless(): void;
}

const CHECK_MS = 1_000;

/** Ends an idle or lost daemon, and immediately one whose home was removed. Returns a function that stops watching. */
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
