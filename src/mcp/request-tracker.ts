import type { RequestObserver } from '../domain/protocol-request.ts';
import { setFrequentTimeout } from '../lib/frequent-timeout.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import type { Settle } from '../operation.ts';
import type { RequestMessage } from './envelope.ts';
import type { Gate } from './limits.ts';
import { protocolRequest } from './observed-request.ts';
import type { RunningRequest } from './wire-state.ts';

export interface RequestTrackerParts {
  gate: Gate;
  /** Every request is ended after this time. */
  requestLimitMs: number;
  /** Gives the observer of requests that do not become a call, if there is one now. */
  requestObserver?: (() => RequestObserver | undefined) | undefined;
}

interface Tracked {
  request: RunningRequest;
  timer: NodeJS.Timeout;
  leave(): void;
  /** Reports how the request ended; unset once it has become a call, which is observed by itself. */
  ended?: ReturnType<RequestObserver> | undefined;
  /** Reports whether the answer was delivered. */
  settle?: Settle | undefined;
}

/** The running requests, and what each holds: a slot of the gate, a timeout, an observer and delivery callbacks. */
export function createRequestTracker({ gate, requestLimitMs, requestObserver }: RequestTrackerParts) {
  const tracked = new Map<RequestId, Tracked>();

  return {
    get: (id: RequestId) => tracked.get(id)?.request,
    has: (id: RequestId) => tracked.has(id),
    all: () => Array.from(tracked.values(), ({ request }) => request),
    count: () => tracked.size,
    /** Throws where too many requests are running. */
    begin(message: RequestMessage, request: RunningRequest, version: string | undefined, onTimeout: () => void): void {
      const leave = gate.enter();
      const timer = setFrequentTimeout(onTimeout, requestLimitMs);
      timer.unref();
      // A listen request remains open, so it is not observed.
      const observe = message.method === 'subscriptions/listen' ? undefined : requestObserver?.();
      tracked.set(request.id, { request, timer, leave, ended: observe?.(protocolRequest(message, version)) });
    },
    /** Releases what it holds, and reports the answer as not delivered unless `takeSettle` was called. */
    end(id: RequestId): void {
      const request = tracked.get(id);
      if (!request) return;
      tracked.delete(id);
      clearTimeout(request.timer);
      request.leave();
      request.settle?.(false);
    },
    report(id: RequestId, failure?: string): void {
      tracked.get(id)?.ended?.(failure);
    },
    /** The request has become a call, which is observed by itself. */
    becameCall(id: RequestId): void {
      const request = tracked.get(id);
      if (request) request.ended = undefined;
    },
    /** The request waits for a person, for which the SDK has its own limit. */
    stopTimeout(id: RequestId): void {
      clearTimeout(tracked.get(id)?.timer);
    },
    onDelivery(id: RequestId, settle: Settle): void {
      const request = tracked.get(id);
      // Nothing is sent for a request that has ended.
      if (!request) return settle(false);
      const earlier = request.settle;
      request.settle = (delivered) => {
        earlier?.(delivered);
        settle(delivered);
      };
    },
    /** Returns the callback that has to be called with whether the answer was delivered. */
    takeSettle(id: RequestId): Settle | undefined {
      const request = tracked.get(id);
      const settle = request?.settle;
      if (request) request.settle = undefined;
      return settle;
    },
  };
}
