import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeHttpOptions, ServeOptions, ServeStdioOptions } from '../cli/composition.ts';
import type { Program } from '../compose.ts';
import { ensureHome } from '../config/home.ts';
import { AppError } from '../domain/errors.ts';
import type { OpenPort } from '../http/port.ts';
import { AUTOSTART_OFF, LOCK_HELD } from '../lib/daemon-exit-codes.ts';
import { fingerprints, type Hello, standingOf } from '../lib/daemon-hello.ts';
import type { Lock } from '../lib/lock.ts';
import { logLevelOf } from '../lib/log.ts';
import { writeToStderr } from '../lib/stderr.ts';
import { guardStdout } from '../lib/stdout-guard.ts';
import { stopSignal } from '../lib/stop-signal.ts';
import { version } from '../lib/version.ts';
import { openHttp } from './doors.ts';
import { ownOrigin } from './origin.ts';
import { keptBy, own, restoredSession } from './owner.ts';

/** How long somebody may hold the lock without answering. */
const TAKEOVER_MS = 10_000;

/** `switchboard daemon run`: what a shim starts in the background. */
export async function runDaemon(program: Program): Promise<number> {
  const stop = stopSignal({ withParent: false });
  const config = await program.settings();
  if (!config.daemon.autostart) return AUTOSTART_OFF;
  const lock = await lockHome(program);
  if (!lock) return LOCK_HELD;
  const owner = await own(program, { kind: 'auto', lock, stop });
  const { watchIdle } = await import('../daemon/idle-watch.ts');
  const unwatch = watchIdle({
    idleExitMs: config.daemon.idle_exit_ms,
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

/** `switchboard serve` and `mcp --port`: owns the home in the foreground, with HTTP. */
export async function serveHttp(program: Program, options: ServeHttpOptions): Promise<number> {
  const stop = stopSignal({ withParent: false });
  await refuseIfKept(program);
  const port = await listen(program, options);
  try {
    const lock = await takeHome(program, stop);
    return lock ? await serveOn(program, port, lock, stop, options) : 0;
  } finally {
    port.close();
  }
}

async function serveOn(program: Program, port: OpenPort, lock: Lock, stop: AbortSignal, options: ServeHttpOptions) {
  const owner = await own(program, { kind: 'serve', lock, stop });
  try {
    if (options.demo) await program.addDemo();
    const http = await openHttp(program, owner.doors, port, options);
    owner.listensAt(http.url, http.holds);
    program.log.info({ url: `${http.url}/mcp` }, `Switchboard is listening: MCP is at ${http.url}/mcp`);
    await owner.over;
    program.log.info({}, 'shutting down: requests in flight are answered first');
    await http.close();
  } finally {
    await owner.close();
  }
  return 0;
}

/**
 * `switchboard mcp --embedded`: owns the home inside the stdio process; attaches to the owner where there is one. Without
 * `--embedded` this is what lines come to that the shim does not read by itself, and a daemon is started for them as for
 * any other; only keys that the line sets would be lost on one.
 */
export async function serveStdio(program: Program, { embedded, ...options }: ServeStdioOptions): Promise<number> {
  let { session } = options;
  let mayStart = !embedded && program.setKeys.length === 0;
  let isFirst = true;
  for (;;) {
    const lock = mayStart ? undefined : await lockHome(program);
    if (lock) return serveAlone(program, lock, { ...options, ...(session === undefined ? {} : { session }) });
    if (isFirst) await tellUnusedKeys(program);
    isFirst = false;
    const { runShim } = await import('../shim/run.ts');
    const served = await runShim({
      ...options,
      ...(session === undefined ? {} : { session }),
      home: program.home,
      program: process.argv[1] ?? '',
      mayStart,
      onFailed: refuseStdio,
    });
    if (typeof served === 'number') return served;
    session = served.session;
    // None may be started, or its owner comes or goes at this moment.
    mayStart = false;
    await sleep(20);
  }
}

/** What is wrong with them is told all the same. */
export async function tellUnusedKeys({ setKeys, readSettings }: Program): Promise<void> {
  if (setKeys.length === 0) return;
  await readSettings();
  const keys = setKeys.join(', ');
  writeToStderr(`switchboard: --set ${keys} is not used: the process that owns this home has its own settings.\n`);
}

function refuseStdio({ message, exitCode }: { message: string; exitCode: number }): never {
  throw exitCode === 2
    ? new AppError('VALIDATION_ERROR', message, { field: 'only' })
    : new AppError('SERVICE_UNAVAILABLE', message);
}

async function serveAlone(program: Program, lock: Lock, options: ServeOptions): Promise<number> {
  const { log } = program;
  guardStdout();
  const owner = await own(program, { kind: 'embedded', lock, stop: stopSignal({ withParent: true }) });
  try {
    const { door, offer, serveStreams, local, store } = owner.doors;
    if (options.session !== undefined) owner.hold(options.session);
    const restored = await restoredSession(store, options.session);
    await serveStreams(
      { ...door, setLogLevel: (level) => log.setLevel(logLevelOf(level) ?? 'info') },
      {
        registry: offer(options),
        principal: local(),
        origin: ownOrigin(),
        only: options.only,
        input: process.stdin,
        output: process.stdout,
        stop: owner.ending,
        ...(restored ? { restored } : {}),
      },
    );
  } finally {
    await owner.close();
  }
  return 0;
}

/** How a process of ours introduces itself to the owner of the home. */
export async function helloOf(door: Hello['door']): Promise<Hello> {
  return {
    v: 1,
    door,
    version: version(),
    ...standingOf(process.env),
    env: await fingerprints(process.env),
  };
}

async function lockHome({ home }: Program): Promise<Lock | undefined> {
  ensureHome(home);
  const { takeHomeLock } = await import('../daemon/home-lock.ts');
  return takeHomeLock(home);
}

/** Who owns the home says more than that its port is in use. */
async function refuseIfKept({ home }: Program): Promise<void> {
  const { askStatus } = await import('../shim/attach.ts');
  const owner = await askStatus(home, await helloOf('status'));
  if (owner && owner.kind !== 'auto') throw keptBy(owner.kind, owner.pid, home);
}

/** Everything that can be wrong is found before the owner of the home is asked to leave. */
async function listen(program: Program, { host, port }: ServeHttpOptions): Promise<OpenPort> {
  const { limits } = await program.settings();
  const { openPort } = await import('../http/port.ts');
  return openPort({ host, port, connectTimeoutMs: limits.connect_timeout_ms, log: program.log });
}

/** The lock, from whoever has it where that is a daemon that came up by itself; nothing when asked to end before. */
async function takeHome(program: Program, stop: AbortSignal): Promise<Lock | undefined> {
  const giveUpAt = Date.now() + TAKEOVER_MS;
  while (!stop.aborted) {
    const lock = await lockHome(program);
    if (lock) return lock;
    const { askToLeave } = await import('../shim/attach.ts');
    const answer = await askToLeave(program.home, await helloOf('takeover'));
    if (answer?.error) throw new AppError('CONFLICT', answer.error.message, { hint: 'End that process first.' });
    if (Date.now() > giveUpAt) {
      throw new AppError('CONFLICT', `Another process owns ${program.home} and does not answer.`);
    }
    await sleep(20);
  }
  return undefined;
}
