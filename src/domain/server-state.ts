import { AppError, type ErrorCode } from './errors.ts';

/** Why a server does not run although it should. The text is ours; `output` is the end of what it printed. */
export interface ServerProblem {
  code: ErrorCode;
  message: string;
  hint?: string;
  output?: string;
  /** Starting it again cannot help until something is changed: its configuration, a secret, a login. */
  isFinal?: boolean;
}

/**
 * What a server is doing. A stopped one sleeps until it is called, unless it was stopped by hand. One in error is started again
 * at `retryAt`; without that it is parked until it is started by hand or its configuration changes.
 */
export type ServerState =
  | { readonly state: 'disabled' }
  | { readonly state: 'stopped'; readonly byHand: boolean }
  | { readonly state: 'starting'; readonly failures: number }
  | { readonly state: 'running'; readonly since: number; readonly failures: number }
  | {
      readonly state: 'error';
      readonly problem: ServerProblem;
      /** Starts and runs that failed, since it last ran for long. */
      readonly failures: number;
      readonly retryAt?: number;
    };

export type ServerCommand =
  | { kind: 'enable' }
  | { kind: 'disable' }
  /** By hand, or because it is called, or because the daemon or a delay has come to it. */
  | { kind: 'start' }
  | { kind: 'started' }
  /** `parks`: after many failures in a row it is not started again by itself. */
  | { kind: 'fail'; problem: ServerProblem; delayMs(failures: number): number; parks: boolean }
  /** By hand; otherwise it sleeps. */
  | { kind: 'stop'; byHand: boolean }
  /** Its configuration or secrets have changed: what failed before may work now. */
  | { kind: 'reset' };

export type ServerEvent =
  | { type: 'ServerEnabled' }
  | { type: 'ServerDisabled' }
  | { type: 'ServerStarting' }
  | { type: 'ServerRunning'; at: number; failures: number }
  | { type: 'ServerFailed'; problem: ServerProblem; failures: number; retryAt?: number }
  | { type: 'ServerStopped'; byHand: boolean };

/** A server that ran for so long was not failing. */
const STABLE_MS = 60_000;
/** After so many failures in a row a server is parked. */
export const MAX_FAILURES = 8;

/** The events of a command; none where it changes nothing. Throws where it is refused. */
export function decide(state: ServerState, command: ServerCommand, now: number): readonly ServerEvent[] {
  switch (command.kind) {
    case 'enable':
      return state.state === 'disabled' ? [{ type: 'ServerEnabled' }] : [];
    case 'disable':
      return state.state === 'disabled' ? [] : [{ type: 'ServerDisabled' }];
    case 'start':
      if (state.state === 'disabled') throw disabled();
      return state.state === 'running' || state.state === 'starting' ? [] : [{ type: 'ServerStarting' }];
    case 'started':
      if (state.state !== 'starting') return [];
      return [{ type: 'ServerRunning', at: now, failures: state.failures }];
    case 'fail':
      return state.state === 'starting' || state.state === 'running' ? [failed(state, command, now)] : [];
    case 'stop':
      if (state.state === 'disabled' || (state.state === 'stopped' && state.byHand === command.byHand)) return [];
      return [{ type: 'ServerStopped', byHand: command.byHand }];
    case 'reset':
      return state.state === 'error' ? [{ type: 'ServerStopped', byHand: false }] : [];
  }
}

export function evolve(state: ServerState, event: ServerEvent): ServerState {
  switch (event.type) {
    case 'ServerEnabled':
      return { state: 'stopped', byHand: false };
    case 'ServerDisabled':
      return { state: 'disabled' };
    case 'ServerStarting':
      return { state: 'starting', failures: state.state === 'error' ? state.failures : 0 };
    case 'ServerRunning':
      return { state: 'running', since: event.at, failures: event.failures };
    case 'ServerFailed': {
      const { problem, failures, retryAt } = event;
      return { state: 'error', problem, failures, ...(retryAt === undefined ? {} : { retryAt }) };
    }
    case 'ServerStopped':
      return { state: 'stopped', byHand: event.byHand };
  }
}

/** The state of a server that has not been started since the program was. */
export function restingState({ enabled, stoppedByHand }: { enabled: boolean; stoppedByHand: boolean }): ServerState {
  return enabled ? { state: 'stopped', byHand: stoppedByHand } : { state: 'disabled' };
}

function failed(
  state: Extract<ServerState, { state: 'starting' | 'running' }>,
  { problem, delayMs, parks }: Extract<ServerCommand, { kind: 'fail' }>,
  now: number,
): ServerEvent {
  const wasStable = state.state === 'running' && now - state.since >= STABLE_MS;
  const failures = wasStable ? 1 : state.failures + 1;
  if (problem.isFinal) return { type: 'ServerFailed', problem, failures };
  if (parks && failures >= MAX_FAILURES) {
    const hint = `It failed ${failures} times in a row and is not started again by itself.`;
    return { type: 'ServerFailed', problem: { ...problem, hint }, failures };
  }
  return { type: 'ServerFailed', problem, failures, retryAt: now + delayMs(failures) };
}

function disabled(): AppError {
  return new AppError('CONFLICT', 'The server is disabled.', {
    hint: 'Enable it first: switchboard servers enable NAME',
  });
}
