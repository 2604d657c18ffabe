import { AppError, toAppError } from '../../domain/errors.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import {
  decide,
  evolve,
  restingState,
  type ServerCommand,
  type ServerEvent,
  type ServerProblem,
  type ServerState,
} from '../../domain/server-state.ts';
import { backoffDelay, withJitter } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ServerConnection, StartFailure } from './server-connection.ts';

export interface RunnerParts {
  config(): ServerConfig;
  /** Starts the server, shakes hands and learns what it offers. */
  connect(signal: AbortSignal): Promise<ServerConnection>;
  clock: Clock;
  /** The state has changed. */
  onChange(events: readonly ServerEvent[], state: ServerState): void;
}

const BACKOFF = { firstMs: 500, longestMs: 30_000 };
const REMOTE_BACKOFF = { firstMs: 500, longestMs: 300_000 };

/** Keeps one server in the state that is wanted: starts it, starts it again when it failed, stops it. */
export function createRunner(parts: RunnerParts, first: { stoppedByHand: boolean }) {
  const { config, clock } = parts;
  let state = restingState({ enabled: config().enabled, ...first });
  let connection: ServerConnection | undefined;
  let starting: { done: Promise<ServerConnection>; attempt: AbortController } | undefined;
  let stopping: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** How often it was ended: what was begun before must not start it afterwards. */
  let ends = 0;
  let isClosed = false;

  function apply(command: ServerCommand): void {
    const events = decide(state, command, clock.now());
    if (events.length === 0) return;
    state = events.reduce(evolve, state);
    clearTimeout(retry);
    if (state.state === 'error' && state.retryAt !== undefined) {
      const delay = Math.max(0, state.retryAt - clock.now());
      retry = setTimeout(() => void start().catch(() => {}), delay).unref();
    }
    parts.onChange(events, state);
  }

  function fail(problem: ServerProblem): void {
    const isRemote = config().package.type === 'http';
    const backoff = isRemote ? REMOTE_BACKOFF : BACKOFF;
    const delayMs = (failures: number) => withJitter(backoffDelay(failures, backoff));
    apply({ kind: 'fail', problem, delayMs, parks: !isRemote });
  }

  /** Resolves when the server runs; a start that is under way is joined. */
  async function start(): Promise<ServerConnection> {
    const begun = ends;
    await stopping;
    if (isClosed || begun !== ends) throw problemError(STOPPED);
    apply({ kind: 'start' });
    if (connection) return connection;
    if (!starting) {
      const attempt = new AbortController();
      const done = attemptStart(attempt.signal).finally(() => {
        starting = undefined;
      });
      starting = { done, attempt };
    }
    return starting.done;
  }

  async function attemptStart(signal: AbortSignal): Promise<ServerConnection> {
    try {
      const made = await parts.connect(signal);
      if (signal.aborted) {
        await made.close();
        throw new StartFailure(STOPPED);
      }
      connection = made;
      apply({ kind: 'started' });
      void made.ended.then((problem) => lost(made, problem));
      return made;
    } catch (thrown) {
      const problem = thrown instanceof StartFailure ? thrown.problem : problemOf(toAppError(thrown));
      if (!signal.aborted) fail(problem);
      throw problemError(problem, thrown);
    }
  }

  function lost(ended: ServerConnection, problem: ServerProblem): void {
    if (connection !== ended) return;
    connection = undefined;
    // Its processes that are left are ended before it is started again.
    const done = ended.close().finally(() => {
      if (stopping === done) stopping = undefined;
    });
    stopping = done;
    fail(problem);
  }

  async function end(command: ServerCommand): Promise<void> {
    ends += 1;
    apply(command);
    clearTimeout(retry);
    starting?.attempt.abort();
    const ended = connection;
    connection = undefined;
    const pending = starting?.done.catch(() => {});
    const before = stopping;
    const done = Promise.all([before, pending, ended?.close()]).then(() => {
      if (stopping === done) stopping = undefined;
    });
    stopping = done;
    await done;
  }

  return {
    state: () => state,
    connection: () => connection,
    start,
    /** A connection has ended, or is of no use any more. */
    lost,
    stop: (byHand: boolean) => end({ kind: 'stop', byHand }),
    /** Stops it and starts it in the background, unless it is stopped meanwhile. */
    async restart(): Promise<void> {
      const stopped = end({ kind: 'stop', byHand: false });
      void start().catch(() => {});
      await stopped;
    },
    /** It is never started again. */
    close(byHand: boolean): Promise<void> {
      isClosed = true;
      return end({ kind: 'stop', byHand });
    },
    disable: () => end({ kind: 'disable' }),
    enable: () => apply({ kind: 'enable' }),
    /** What made it fail may have changed: it is tried again where it should run. */
    reset(): void {
      const failed = state.state === 'error';
      apply({ kind: 'reset' });
      if (failed) void start().catch(() => {});
    },
  };
}

const STOPPED: ServerProblem = { code: 'CONFLICT', message: 'The server was stopped while it was starting.' };

/** Errors that starting again cannot fix. */
const FINAL: readonly string[] = ['VALIDATION_ERROR', 'NOT_FOUND', 'UNAUTHENTICATED', 'FORBIDDEN'];

function problemOf({ code, message, hint }: AppError): ServerProblem {
  return { code, message, ...(hint === undefined ? {} : { hint }), ...(FINAL.includes(code) ? { isFinal: true } : {}) };
}

/** Why a connection could not be made, as callers get it. */
export function startError(thrown: unknown): unknown {
  return thrown instanceof StartFailure ? problemError(thrown.problem, thrown) : thrown;
}

/** A problem as callers get it. */
export function problemError({ code, message, hint, output }: ServerProblem, cause?: unknown): AppError {
  return new AppError(code, message, {
    ...(code === 'VALIDATION_ERROR' ? { field: 'env_vars' } : {}),
    hint,
    cause,
    upstream: output === undefined || output === '' ? undefined : { stderr_tail: output },
  });
}
