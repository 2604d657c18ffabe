import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { RequestId } from '../lib/id-scanner.ts';
import type { Subscription } from './registry.ts';
import {
  checkCount,
  checkListened,
  createSubscriptions,
  type SubscriberParts,
  type Subscriptions,
  updateMeta,
} from './subscriptions.ts';
import { SUBSCRIPTION_ID_KEY } from './versions.ts';

export interface ListenRequestsParts extends SubscriberParts {
  send(message: JSONRPCMessage): Promise<void>;
}

interface ListenRequest {
  checked: ReadonlyMap<string, Subscription>;
  subscriptions: Subscriptions;
  /** Gives back what its URIs count. */
  release(): void;
}

/** The `subscriptions/listen` requests of a connection: how clients of 2026-07-28 subscribe. */
export function createListenRequests({ send, subscribed, ...subscriber }: ListenRequestsParts) {
  const requests = new Map<RequestId, ListenRequest>();

  /** Not sent through the SDK, which would send what one request has missed to all requests for the same resource. */
  function subscriptionsOf(id: RequestId): Subscriptions {
    return createSubscriptions({
      ...subscriber,
      deliver: (uri, update) =>
        send({
          jsonrpc: '2.0',
          method: 'notifications/resources/updated',
          params: { uri, _meta: { ...updateMeta(update), [SUBSCRIPTION_ID_KEY]: id } },
        }),
    });
  }

  function end(id: RequestId): void {
    const request = requests.get(id);
    request?.subscriptions.close();
    request?.release();
    for (const { release } of request?.checked.values() ?? []) release?.();
    requests.delete(id);
  }

  return {
    /** Throws where these URIs cannot be subscribed to. */
    async check(id: RequestId, uris: readonly string[]): Promise<void> {
      const open = [...requests.values()].reduce((sum, { checked }) => sum + checked.size, 0);
      checkCount(open + uris.length);
      const { registry, principal } = subscriber;
      const checked = await checkListened(registry, uris, { principal, era: 'modern' });
      const release = subscribed.take(principal, checked.size);
      requests.set(id, { checked, subscriptions: subscriptionsOf(id), release });
    },
    begin(id: RequestId): void {
      const request = requests.get(id);
      for (const [uri, subscription] of request?.checked ?? []) request?.subscriptions.add(uri, subscription);
    },
    end,
    close(): void {
      for (const id of requests.keys()) end(id);
    },
  };
}
