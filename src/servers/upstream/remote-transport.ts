import type { JsonObject } from '../../domain/json.ts';
import type { RemoteOptions } from './http-client.ts';
import { createHttpTransport } from './http-transport.ts';
import { createSseTransport } from './sse-transport.ts';
import { type TransportReceiver, UpstreamFailure, type UpstreamTransport } from './upstream.ts';

/** What a server that has only the transport of 2024-11-05 answers to a POST. */
const OLD_SERVER = [400, 404, 405];

/** Streamable HTTP, or HTTP with server-sent events if the server does not know that. */
export function createRemoteTransport(options: RemoteOptions & { type: 'http' | 'sse' }): UpstreamTransport {
  if (options.type === 'sse') return createSseTransport(options);
  let current = createHttpTransport(options);
  /** While it is tried, and when it is used. */
  let old: UpstreamTransport | undefined;
  let receiver: TransportReceiver | undefined;

  function openedBy(transport: UpstreamTransport): void {
    transport.open({
      onMessage: (message, answering) => receiver?.onMessage(message, answering),
      onTooLarge: (id) => receiver?.onTooLarge(id),
      onNoise: (text) => receiver?.onNoise(text),
      onClosed(cause) {
        if (transport === current) receiver?.onClosed(cause);
      },
    });
  }

  async function fallBack(message: JsonObject, failure: unknown): Promise<void> {
    const status = failure instanceof UpstreamFailure && failure.kind === 'protocol' ? failure.status : undefined;
    if (status === undefined || !OLD_SERVER.includes(status)) throw failure;
    const sse = createSseTransport(options);
    old = sse;
    openedBy(sse);
    const http = current;
    try {
      await sse.send(message);
    } catch {
      await sse.close();
      throw failure;
    }
    current = sse;
    await http.close();
  }

  return {
    open(to) {
      receiver = to;
      openedBy(current);
    },
    send(message) {
      if (message.method !== 'initialize') return current.send(message);
      return current.send(message)?.catch((failure) => fallBack(message, failure));
    },
    drop: (id) => current.drop?.(id),
    hasSession: () => current.hasSession?.() ?? true,
    began: (era, version) => current.began?.(era, version),
    async close() {
      await Promise.all([current.close(), old?.close()]);
    },
  };
}
