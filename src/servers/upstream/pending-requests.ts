import type { JsonObject } from '../../domain/json.ts';
import { setFrequentTimeout } from '../../lib/frequent-timeout.ts';
import type { UpstreamFailure, UpstreamRequestOptions } from './upstream.ts';

export interface PeerRequestOptions extends UpstreamRequestOptions {
  /** The server has accepted a `subscriptions/listen`; with what it will report. */
  onAcknowledged?(notifications: JsonObject): void;
}

export interface PendingRequest {
  readonly id: number;
  readonly method: string;
  readonly options: PeerRequestOptions;
  resolve(result: JsonObject): void;
  reject(failure: UpstreamFailure): void;
  onAbort(): void;
  timer: NodeJS.Timeout | undefined;
  /** Questions that are being answered: the time does not count. */
  questions: number;
}

export type PendingRequests = ReturnType<typeof createPendingRequests>;

/** A server may work so long on a request that was given up. */
const LINGER_MS = 60_000;

/** A longer timer would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The requests that wait for an answer, by id. */
export function createPendingRequests(onTimeout: (request: PendingRequest) => void) {
  const requests = new Map<number, PendingRequest>();
  const having = { onLog: 0, onQuestion: 0 };
  let lastGivenUp = Number.NEGATIVE_INFINITY;

  function startTimer(request: PendingRequest): void {
    const { timeoutMs } = request.options;
    if (timeoutMs <= LONGEST_TIMER_MS) request.timer = setFrequentTimeout(() => onTimeout(request), timeoutMs);
  }

  function pause(request: PendingRequest): void {
    request.questions += 1;
    clearTimeout(request.timer);
    request.timer = undefined;
  }

  function resume(request: PendingRequest): void {
    request.questions -= 1;
    if (request.questions === 0 && requests.get(request.id) === request) startTimer(request);
  }

  return {
    get: (id: number) => requests.get(id),
    add(request: PendingRequest): void {
      const { options } = request;
      requests.set(request.id, request);
      if (options.onLog) having.onLog += 1;
      if (options.onQuestion) having.onQuestion += 1;
      options.signal.addEventListener('abort', request.onAbort, { once: true });
      startTimer(request);
    },
    /** Whether it was waiting. */
    remove(request: PendingRequest): boolean {
      const { options } = request;
      if (!requests.delete(request.id)) return false;
      if (options.onLog) having.onLog -= 1;
      if (options.onQuestion) having.onQuestion -= 1;
      options.signal.removeEventListener('abort', request.onAbort);
      clearTimeout(request.timer);
      return true;
    },
    all: () => [...requests.values()],
    /** The server has not answered it, and may still work on it. */
    giveUp(request: PendingRequest): boolean {
      if (request.options.onQuestion || request.options.onLog) lastGivenUp = performance.now();
      return this.remove(request);
    },
    /** The request with this handler, where exactly one has it and the server surely works on no other. */
    onlyOne(handler: 'onLog' | 'onQuestion'): PendingRequest | undefined {
      if (having[handler] !== 1 || performance.now() - lastGivenUp < LINGER_MS) return;
      for (const request of requests.values()) if (request.options[handler]) return request;
      return;
    },
    restartTimer(request: PendingRequest): void {
      if (!request.timer) return;
      clearTimeout(request.timer);
      startTimer(request);
    },
    /** Runs `work` while the time of these requests does not count; of all that can be asked, where none is given. */
    async whilePaused<T>(only: PendingRequest | undefined, work: () => Promise<T>): Promise<T> {
      const paused = only ? [only] : [...requests.values()].filter(({ options }) => options.onQuestion);
      for (const request of paused) pause(request);
      try {
        return await work();
      } finally {
        for (const request of paused) resume(request);
      }
    },
  };
}
