import { AppError } from '../../domain/errors.ts';
import type { GatewayRequest } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { randomHex } from '../../lib/chance.ts';
import { isRecord } from '../../lib/is-record.ts';

export type Asking = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

interface Question {
  method: string;
  params: JsonObject;
  answer: PromiseWithResolvers<JsonObject>;
}

/** A request whose server may ask the client something, while the client has been answered with the questions. */
interface OpenRequest {
  /** Only the same principal continues it, for the same entry. */
  owner: string;
  result: Promise<JsonObject>;
  questions: Map<string, Question>;
  /** Resolves when there is a question. */
  asked: PromiseWithResolvers<void>;
  giveUp: AbortController;
  expiry?: NodeJS.Timeout;
}

/** A client that has not answered for so long has gone. */
const EXPIRY_MS = 10 * 60_000;
const MAX_PARKED = 1_000;
/** Of one principal, whose oldest one is then given up: it takes no room from others. */
const MAX_PARKED_EACH = 100;

/**
 * Clients of 2026-07-28 cannot be asked. Their request is answered with the questions of the server and continues when they
 * repeat it with the answers; until then the server waits.
 */
export function createStatelessQuestions({ expiryMs = EXPIRY_MS, maxParked = MAX_PARKED } = {}) {
  /** By state, which is valid once. */
  const parked = new Map<string, OpenRequest>();

  /** The result, or the questions that have to be answered first. */
  async function outcome(request: OpenRequest, signal: AbortSignal): Promise<JsonObject> {
    const abandon = () => request.giveUp.abort(signal.reason);
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon, { once: true });
    try {
      return (await Promise.race([request.result, request.asked.promise])) ?? park(request);
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }

  function park(request: OpenRequest): JsonObject {
    makeRoomFor(request);
    const state = randomHex(32);
    parked.set(state, request);
    request.expiry = setTimeout(expire, expiryMs, state).unref();
    const inputRequests = Object.fromEntries(
      [...request.questions].map(([key, { method, params }]) => [key, { method, params }] as const),
    );
    return { resultType: 'input_required', inputRequests, requestState: state };
  }

  function makeRoomFor({ owner }: OpenRequest): void {
    const states = [...parked.keys()];
    const own = states.filter((state) => identityIn(parked.get(state)?.owner) === identityIn(owner));
    const crowded = own.length >= MAX_PARKED_EACH ? own : parked.size >= maxParked ? states : [];
    if (crowded[0] !== undefined) expire(crowded[0]);
  }

  function expire(state: string): void {
    const request = parked.get(state);
    parked.delete(state);
    clearTimeout(request?.expiry);
    request?.giveUp.abort(new AppError('TIMEOUT', 'The client did not answer the questions of the server.'));
  }

  return {
    /** Runs a request with a way to ask its client. */
    begin(owner: string, { signal }: GatewayRequest, run: (ask: Asking, signal: AbortSignal) => Promise<JsonObject>) {
      const giveUp = new AbortController();
      const questions = new Map<string, Question>();
      let count = 0;
      const ask: Asking = async (method, params, withdrawn) => {
        withdrawn.throwIfAborted();
        count += 1;
        const key = `q${count}`;
        const answer = Promise.withResolvers<JsonObject>();
        questions.set(key, { method, params, answer });
        withdrawn.addEventListener('abort', () => answer.reject(withdrawn.reason), { once: true });
        // Questions that come together are asked together.
        setImmediate(() => questions.has(key) && request.asked.resolve());
        return answer.promise.finally(() => questions.delete(key));
      };
      const request: OpenRequest = {
        owner,
        questions,
        asked: Promise.withResolvers<void>(),
        giveUp,
        result: run(ask, giveUp.signal),
      };
      // It may fail while no client waits for it.
      request.result.catch(() => {});
      return outcome(request, signal);
    },

    /** Continues a request with the answers of its client; asks again for those that are missing. */
    async resume(owner: string, { repeated, signal }: GatewayRequest): Promise<JsonObject> {
      const { state = '', responses = {} } = repeated ?? {};
      const request = parked.get(state);
      if (!request || request.owner !== owner) {
        throw new AppError('NOT_FOUND', 'This question is not open any more.', { hint: 'Call the tool again.' });
      }
      parked.delete(state);
      clearTimeout(request.expiry);
      request.asked = Promise.withResolvers<void>();
      for (const [key, question] of request.questions) {
        const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
        if (isRecord(response)) question.answer.resolve(response);
        else setImmediate(() => request.questions.has(key) && request.asked.resolve());
      }
      return outcome(request, signal);
    },

    close(): void {
      for (const state of [...parked.keys()]) expire(state);
    },
  };
}

/** An owner begins with the identity of its principal. */
function identityIn(owner: string | undefined): string | undefined {
  return owner?.split(' ', 1)[0];
}
