import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import { isRecord } from '../lib/is-record.ts';

type Answer = Extract<JSONRPCMessage, { result: unknown } | { error: unknown }>;

/** The ids of the SDK's own requests to the client are numbers. */
const PREFIX = 'switchboard-';

/** The client refused, or answered with an error of its own; `code` is that of JSON-RPC. */
class ClientRefusal extends Error {
  override readonly name = 'ClientRefusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Requests to the client of a session, for other servers that ask it something while it calls them. */
export function createClientRequests(send: (message: JSONRPCMessage, options?: TransportSendOptions) => Promise<void>) {
  const waiting = new Map<string, PromiseWithResolvers<JsonObject>>();
  let count = 0;

  return {
    async ask(during: RequestId, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
      signal.throwIfAborted();
      count += 1;
      const id = `${PREFIX}${count}`;
      const answer = Promise.withResolvers<JsonObject>();
      waiting.set(id, answer);
      const cancel = () => {
        answer.reject(signal.reason);
        const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } } as const;
        send(cancelled, { relatedRequestId: during }).catch(() => {});
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        await send({ jsonrpc: '2.0', id, method, params }, { relatedRequestId: during });
        return await answer.promise;
      } finally {
        signal.removeEventListener('abort', cancel);
        waiting.delete(id);
      }
    },

    /** Whether this answers a request from here. */
    take(message: Answer): boolean {
      const request = typeof message.id === 'string' ? waiting.get(message.id) : undefined;
      if (!request) return false;
      if ('error' in message) request.reject(new ClientRefusal(message.error.code, message.error.message));
      else request.resolve(isRecord(message.result) ? (message.result as JsonObject) : {});
      return true;
    },

    close(): void {
      const gone = new AppError('SERVICE_UNAVAILABLE', 'The client has disconnected.');
      for (const request of waiting.values()) request.reject(gone);
    },
  };
}
