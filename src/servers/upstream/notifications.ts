import type { Json, JsonObject } from '../../domain/json.ts';
import { createCoalesced, createFloodLimit } from './flood.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';
import { asObject, META } from './protocol.ts';
import type { UpstreamListener } from './upstream.ts';

/** Beyond this a server's notifications are dropped: whoever gets them could not keep up. */
const MAX_PER_SECOND = 1_000;
/** Each change of a list makes its readers fetch it. */
const QUIET_MS = 100;

interface NotificationParts {
  listener: UpstreamListener;
  pending: PendingRequests;
  onCancelled(id: Json | undefined): void;
}

/** Hands a server's notifications to the requests they belong to, or to the listener. */
export function createNotifications({ listener, pending, onCancelled }: NotificationParts) {
  const isAllowed = createFloodLimit(MAX_PER_SECOND, () =>
    listener.onNoise(`More than ${MAX_PER_SECOND} notifications in a second: some were dropped.`),
  );
  const lists = createCoalesced(QUIET_MS, (list: 'tools' | 'resources' | 'prompts') => listener.onListChanged(list));

  function onProgress(params: JsonObject): void {
    const { progressToken, ...progress } = params;
    const request = typeof progressToken === 'number' ? pending.get(progressToken) : undefined;
    if (!request?.options.onProgress) return;
    pending.restartTimer(request);
    if (isAllowed()) request.options.onProgress(progress);
  }

  function onLog(params: JsonObject, answering: PendingRequest | undefined): void {
    if (!isAllowed()) return;
    const request = answering ?? pending.onlyOne('onLog');
    if (request?.options.onLog) request.options.onLog(params);
    else listener.onLog(params);
  }

  function onUpdated({ uri }: JsonObject): void {
    if (typeof uri === 'string' && isAllowed()) listener.onResourceUpdated(uri);
  }

  function onAcknowledged(params: JsonObject): void {
    const id = asObject(params._meta)[META.subscription];
    const request = typeof id === 'number' ? pending.get(id) : undefined;
    request?.options.onAcknowledged?.(asObject(params.notifications));
  }

  return {
    take(method: string, params: JsonObject, answering: PendingRequest | undefined): void {
      switch (method) {
        case 'notifications/progress':
          return onProgress(params);
        case 'notifications/message':
          return onLog(params, answering);
        case 'notifications/tools/list_changed':
          return lists.take('tools');
        case 'notifications/resources/list_changed':
          return lists.take('resources');
        case 'notifications/prompts/list_changed':
          return lists.take('prompts');
        case 'notifications/resources/updated':
          return onUpdated(params);
        case 'notifications/subscriptions/acknowledged':
          return onAcknowledged(params);
        case 'notifications/elicitation/complete':
          if (isAllowed()) listener.onElicitationComplete?.(params);
          return;
        case 'notifications/cancelled':
          return onCancelled(params.requestId);
      }
    },
    stop: () => lists.stop(),
  };
}
