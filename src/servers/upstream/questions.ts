import { AppError } from '../../domain/errors.ts';
import { ClientRefusal } from '../../domain/gateway.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { isQuestion } from './protocol.ts';
import { UpstreamFailure } from './upstream.ts';

type Ask = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Requests of a server that are answered at the same time; more are refused. */
const MAX_AT_ONCE = 32;

interface QuestionParts {
  send(message: JsonObject): void;
  onNoise(text: string): void;
}

/** Answers the requests of a server. */
export function createQuestions({ send, onNoise }: QuestionParts) {
  const running = new Map<string | number, AbortController>();

  function refuse(id: Json, code: number, message: string): void {
    send({ jsonrpc: '2.0', id, error: { code, message } });
  }

  async function answer(id: string | number, method: string, params: JsonObject, ask: Ask): Promise<void> {
    const stop = new AbortController();
    running.set(id, stop);
    let message: JsonObject;
    try {
      message = { jsonrpc: '2.0', id, result: await ask(method, params, stop.signal) };
    } catch (thrown) {
      message = { jsonrpc: '2.0', id, error: errorOf(thrown) };
    }
    if (running.get(id) === stop) running.delete(id);
    // The server does not wait for an answer to what it has cancelled.
    if (!stop.signal.aborted) send(message);
  }

  return {
    take(id: Json, method: string, params: JsonObject, ask: Ask): void {
      if (typeof id !== 'string' && typeof id !== 'number') return onNoise('A request of the server has no valid id.');
      if (method === 'ping') return send({ jsonrpc: '2.0', id, result: {} });
      if (!isQuestion(method)) return refuse(id, -32601, 'Method not found.');
      if (running.has(id)) return refuse(id, -32600, 'Invalid Request: a request with this id is running.');
      if (running.size >= MAX_AT_ONCE) return refuse(id, -32603, 'Too many requests at the same time.');
      void answer(id, method, params, ask);
    },
    /** The server no longer wants an answer. */
    cancel(id: Json | undefined): void {
      if (typeof id !== 'string' && typeof id !== 'number') return;
      const stop = running.get(id);
      running.delete(id);
      stop?.abort();
    },
    cancelAll(): void {
      for (const stop of running.values()) stop.abort();
      running.clear();
    },
  };
}

/** What a client itself answered, or why it was not asked in words of ours. */
function errorOf(thrown: unknown): JsonObject {
  if (thrown instanceof ClientRefusal) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof AppError) return { code: -32603, message: thrown.message };
  if (thrown instanceof UpstreamFailure && thrown.rpc) {
    const { code, message, data } = thrown.rpc;
    return { code, message, ...(data === undefined ? {} : { data: data as Json }) };
  }
  return { code: -32603, message: 'The client did not answer this request.' };
}
