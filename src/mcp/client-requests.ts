import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import { AppError } from '../domain/errors.ts';
import { ClientRefusal } from '../domain/gateway.ts';
import type { JsonObject } from '../domain/json.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import { isRecord } from '../lib/is-record.ts';

type Answer = Extract<JSONRPCMessage, { result: unknown } | { error: unknown }>;

/** The ids of the SDK's own requests to the client are numbers. */
const PREFIX = 'switchboard-';

/** Requests to the client of a session, for other servers that ask it something while it calls them. */
export function createClientRequests(send: (message: JSONRPCMessage, options?: TransportSendOptions) => Promise<void>) {
  const waiting = new Map<string, PromiseWithResolvers<JsonObject>>();
  let count = 0;
  let isClosed = false;

  return {
    /** `during` is the request of the client that this belongs to, if any. */
    async ask(
      during: RequestId | undefined,
      method: string,
      params: JsonObject,
      signal: AbortSignal,
    ): Promise<JsonObject> {
      signal.throwIfAborted();
      if (isClosed) throw gone();
      const options = during === undefined ? undefined : { relatedRequestId: during };
      count += 1;
      const id = `${PREFIX}${count}`;
      const answer = Promise.withResolvers<JsonObject>();
      waiting.set(id, answer);
      const cancel = () => {
        answer.reject(signal.reason);
        const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } } as const;
        send(cancelled, options).catch(() => {});
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        // An answer may come, or the wait end, before the message counts as sent.
        const sent = send({ jsonrpc: '2.0', id, method, params }, options);
        sent.catch(answer.reject);
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

    /** The client cannot answer any more. */
    close(): void {
      isClosed = true;
      for (const request of waiting.values()) request.reject(gone());
    },
  };
}

function gone(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The client has disconnected.');
}
