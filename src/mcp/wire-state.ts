import type { RequestId } from '../lib/id-scanner.ts';
import type { RequestMessage } from './envelope.ts';
import type { Era } from './errors.ts';
import { claimedVersion } from './versions.ts';

/** A request that has no answer yet. */
export interface RunningRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly era: Era;
}

/** The state of one connection, besides the requests that are running, which the tracker has. */
export interface WireState {
  /** `subscriptions/listen` requests that may begin: open until they end, but running only until they are acknowledged. */
  readonly listening: ReadonlySet<RequestId>;
  /** No new request is accepted. */
  readonly draining: boolean;
  /** An `initialize` has succeeded. Before that a session may still be abandoned. */
  readonly inSession: boolean;
}

export type WireEvent =
  | { type: 'ListenOpened'; id: RequestId }
  | { type: 'ListenEnded'; id: RequestId }
  | { type: 'SessionBegun' }
  | { type: 'DrainBegun' };

/** `in-use`: another request with this id has not ended. `draining`: the connection is closing. */
export interface Decision {
  kind: 'run' | 'listen' | 'shutdown' | 'in-use' | 'draining';
  request: RunningRequest;
}

export function initialState({ inSession }: Pick<WireState, 'inSession'>): WireState {
  return { listening: new Set(), draining: false, inSession };
}

/** What to do with a request that has just arrived; `isRunning`: while another one with its id is running. */
export function decide(state: WireState, message: RequestMessage, isRunning: boolean): Decision {
  const { id, method } = message;
  const request: RunningRequest = { id, method, era: eraOf(state, message) };
  if (isRunning || state.listening.has(id)) return { kind: 'in-use', request };
  if (state.draining) return { kind: 'draining', request };
  if (request.era === 'legacy') return { kind: method === 'shutdown' ? 'shutdown' : 'run', request };
  return { kind: method === 'subscriptions/listen' ? 'listen' : 'run', request };
}

/** A connection with a session keeps its era, whatever version a request claims. */
function eraOf({ inSession }: WireState, { method, params }: RequestMessage): Era {
  if (method === 'initialize' || inSession) return 'legacy';
  return claimedVersion(params) === undefined ? 'legacy' : 'modern';
}

export function evolve(state: WireState, event: WireEvent): WireState {
  switch (event.type) {
    case 'ListenOpened':
      return { ...state, listening: new Set(state.listening).add(event.id) };
    case 'ListenEnded':
      return state.listening.has(event.id)
        ? { ...state, listening: new Set([...state.listening].filter((id) => id !== event.id)) }
        : state;
    case 'SessionBegun':
      return { ...state, inSession: true };
    case 'DrainBegun':
      return { ...state, draining: true };
  }
}
