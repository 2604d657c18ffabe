import type { JsonObject } from '../../../src/domain/json.ts';
import type { TransportReceiver, UpstreamFailure, UpstreamTransport } from '../../../src/servers/upstream/upstream.ts';

/** A transport whose other end is the test. */
export function createMemoryServer(answer: (message: JsonObject) => JsonObject | undefined = () => undefined) {
  const sent: JsonObject[] = [];
  let receiver: TransportReceiver | undefined;
  let arrived = Promise.withResolvers<void>();
  const transport: UpstreamTransport = {
    open(to) {
      receiver = to;
    },
    send(message) {
      sent.push(message);
      arrived.resolve();
      arrived = Promise.withResolvers<void>();
      const result = answer(message);
      if (result) queueMicrotask(() => receiver?.onMessage({ jsonrpc: '2.0', id: message.id ?? null, ...result }));
      return undefined;
    },
    async close() {
      receiver?.onClosed();
    },
  };
  return {
    transport,
    /** All messages that were sent to the server. */
    sent,
    receive: (message: object, answering?: number) =>
      receiver?.onMessage({ jsonrpc: '2.0', ...message } as JsonObject, answering),
    tooLarge: (id: string | number | null) => receiver?.onTooLarge(id),
    end: (cause?: UpstreamFailure) => receiver?.onClosed(cause),
    nextSent: () => arrived.promise,
    /** The first message that was sent with these fields. */
    async sentWith(fields: JsonObject): Promise<JsonObject> {
      for (;;) {
        const found = sent.find((message) => Object.entries(fields).every(([name, value]) => message[name] === value));
        if (found) return found;
        await arrived.promise;
      }
    },
  };
}

export const INITIALIZED: JsonObject = {
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 'memory', version: '1' },
  },
};
