import { AppError } from '../../domain/errors.ts';
import type { GatewayRequest } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { randomHex } from '../../lib/chance.ts';
import { isRecord } from '../../lib/is-record.ts';

type Asking = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

interface Question {
  method: string;
  params: JsonObject;
  answer: PromiseWithResolvers<JsonObject>;
}

/** A request whose server asks the client something, while the client has been answered with the questions. */
interface ParkedRequest {
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

/**
 * Clients of 2026-07-28 cannot be asked. Their request is answered with the questions of the server and continues when they
 * repeat it with the answers; until then the server waits.
 */
export function createStatelessQuestions() {
  const parked = new Map<string, ParkedRequest>();

  /** The result, or the questions that have to be answered first. */
  async function outcome(request: ParkedRequest, signal: AbortSignal, state?: string): Promise<JsonObject> {
    const abandon = () => request.giveUp.abort(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    try {
      const result = await Promise.race([request.result, request.asked.promise]);
      if (result) {
        if (state !== undefined) parked.delete(state);
        return result;
      }
      return park(request, state);
    } catch (error) {
      if (state !== undefined) parked.delete(state);
      throw error;
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }

  function park(request: ParkedRequest, state = randomHex(32)): JsonObject {
    const [oldest] = parked.keys();
    if (parked.size >= MAX_PARKED && oldest !== undefined) expire(oldest);
    parked.set(state, request);
    clearTimeout(request.expiry);
    request.expiry = setTimeout(expire, EXPIRY_MS, state).unref();
    // A client that does not answer must not end the process.
    request.result.catch(() => {});
    const inputRequests = Object.fromEntries(
      [...request.questions].map(([key, { method, params }]) => [key, { method, params }] as const),
    );
    return { resultType: 'input_required', inputRequests, requestState: state };
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
      const ask: Asking = async (method, params, asked) => {
        count += 1;
        const key = `q${count}`;
        const answer = Promise.withResolvers<JsonObject>();
        questions.set(key, { method, params, answer });
        asked.addEventListener('abort', () => answer.reject(asked.reason), { once: true });
        // Questions that come together are asked together.
        setImmediate(() => request.asked.resolve());
        return answer.promise.finally(() => questions.delete(key));
      };
      const request: ParkedRequest = {
        owner,
        questions,
        asked: Promise.withResolvers<void>(),
        giveUp,
        result: run(ask, giveUp.signal),
      };
      return outcome(request, signal);
    },

    /** Continues a request with the answers of its client; asks again for those that are missing. */
    resume(owner: string, { repeated, signal }: GatewayRequest): Promise<JsonObject> {
      const { state = '', responses = {} } = repeated ?? {};
      const request = parked.get(state);
      if (!request || request.owner !== owner) {
        throw new AppError('NOT_FOUND', 'This question is not open any more.', { hint: 'Call the tool again.' });
      }
      clearTimeout(request.expiry);
      request.asked = Promise.withResolvers<void>();
      for (const [key, question] of request.questions) {
        const response = responses[key];
        if (isRecord(response)) question.answer.resolve(response as JsonObject);
        else setImmediate(() => request.asked.resolve());
      }
      return outcome(request, signal, state);
    },

    close(): void {
      for (const state of [...parked.keys()]) expire(state);
    },
  };
}
