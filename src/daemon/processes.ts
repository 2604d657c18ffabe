import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import { AUTOSTART_OFF, LOCK_HELD } from '../lib/daemon-exit-codes.ts';
import type { Lock } from '../lib/lock.ts';
import type { Log } from '../lib/log.ts';
import { guardStdout } from '../lib/stdout-guard.ts';
import { stopSignal } from '../lib/stop-signal.ts';
import { watchIdle } from './idle-watch.ts';
import type { Owner } from './owner.ts';
import { refuseIfOwned, takeHome } from './take-home.ts';
import { type SetKeys, warnOfUnusedKeys } from './unused-keys.ts';

/** The dependencies of a process that may own the home. */
export interface OwnerProcess {
  home: string;
  log: Log;
  /** The lock of the home, which is created if it is missing; undefined if another process has it. */
  lockHome(): Promise<Lock | undefined>;
  own(options: { lock: Lock; stop: AbortSignal }): Promise<Owner>;
}

/** `switchboard daemon run`: what a shim starts in the background. */
export async function runDaemon(
  { lockHome, own }: OwnerProcess,
  settings: () => Promise<{ autostart: boolean; idle_exit_ms: number }>,
): Promise<number> {
  const stop = stopSignal({ withParent: false });
  const { autostart, idle_exit_ms: idleExitMs } = await settings();
  if (!autostart) return AUTOSTART_OFF;
  const lock = await lockHome();
  if (!lock) return LOCK_HELD;
  const owner = await own({ lock, stop });
  const unwatch = watchIdle({
    idleExitMs,
    isBusy: owner.isBusy,
    place: owner.place,
    onIdle: () => owner.end('idle'),
    onLost: () => owner.end('lost'),
    onHomeless: () => process.exit(0),
  });
  await owner.over;
  unwatch();
  await owner.close();
  return 0;
}

interface ServedHttp {
  url: string;
  /** Whether the client of this session is served there. */
  holds(session: string): boolean;
  close(): Promise<void>;
}

/** `switchboard serve` and `mcp --port`: owns the home in the foreground, with HTTP. */
export async function serveHttp<Port extends { close(): void }>(
  { home, log, lockHome, own }: OwnerProcess,
  http: { openPort(): Promise<Port>; serve(port: Port): Promise<ServedHttp> },
): Promise<number> {
  const stop = stopSignal({ withParent: false });
  await refuseIfOwned(home);
  // All errors are detected before the owner of the home is asked to exit.
  const port = await http.openPort();
  try {
    const lock = await takeHome(home, lockHome, stop);
    if (!lock) return 0;
    const owner = await own({ lock, stop });
    try {
      const served = await http.serve(port);
      owner.listensAt(served.url, served.holds);
      log.info({ url: `${served.url}/mcp` }, `Switchboard is listening: MCP is at ${served.url}/mcp`);
      await owner.over;
      log.info({}, 'shutting down: requests in flight are answered first');
      await served.close();
    } finally {
      await owner.close();
    }
    return 0;
  } finally {
    port.close();
  }
}

export interface StdioOptions {
  only: readonly string[];
  readOnly: boolean;
  /** The session that the owner of the home held for this client until now. */
  session?: string;
  /** Everything inside this process: no daemon is started. */
  embedded: boolean;
}

/**
 * `switchboard mcp --embedded`: owns the home inside the stdio process; attaches to the owner where there is one. Without
 * `--embedded` this handles the command lines that the shim does not parse itself, and a daemon is started for them as for
 * any other; only keys that the line sets would be lost on one.
 */
export async function serveStdio(
  parts: OwnerProcess & SetKeys,
  { embedded, ...options }: StdioOptions,
  serveSelf: (owner: Owner, session?: string) => Promise<unknown>,
): Promise<number> {
  let { session } = options;
  let mayStart = !embedded && parts.setKeys.length === 0;
  let isFirst = true;
  for (;;) {
    const lock = mayStart ? undefined : await parts.lockHome();
    if (lock) return serveEmbedded(parts, lock, (owner) => serveSelf(owner, session));
    if (isFirst) await warnOfUnusedKeys(parts);
    isFirst = false;
    const { runShim } = await import('../shim/run.ts');
    const served = await runShim({
      ...options,
      ...(session === undefined ? {} : { session }),
      home: parts.home,
      program: process.argv[1] ?? '',
      mayStart,
      onFailed: refuseStdio,
    });
    if (typeof served === 'number') return served;
    session = served.session;
    // None may be started, or its owner is starting or ending.
    mayStart = false;
    await sleep(POLL_MS);
  }
}

const POLL_MS = 20;

async function serveEmbedded(
  { own }: OwnerProcess,
  lock: Lock,
  serveSelf: (owner: Owner) => Promise<unknown>,
): Promise<number> {
  guardStdout();
  const owner = await own({ lock, stop: stopSignal({ withParent: true }) });
  try {
    await serveSelf(owner);
  } finally {
    await owner.close();
  }
  return 0;
}

function refuseStdio({ message, exitCode }: { message: string; exitCode: number }): never {
  throw exitCode === 2
    ? new AppError('VALIDATION_ERROR', message, { field: 'only' })
    : new AppError('SERVICE_UNAVAILABLE', message);
}
