import { AppError } from '../../domain/errors.ts';
import type { GatewayRequest } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';

type Asking = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** A request that runs on a connection, and how its client is asked. */
export interface RunningRequest {
  client: unknown;
  ask: Asking;
  onLog: GatewayRequest['onLog'];
}

/**
 * The requests that run on one connection. A server on stdio does not say which of them its own question or log message
 * belongs to: it is the newest one where all are of one client, otherwise it is of none, since it may be of another client.
 */
export function createRunningRequests() {
  const running = new Set<RunningRequest>();

  function onlyClient(): RunningRequest | undefined {
    const all = [...running];
    const newest = all.at(-1);
    return newest && all.every(({ client }) => client === newest.client) ? newest : undefined;
  }

  return {
    count: () => running.size,
    add(request: RunningRequest): () => void {
      running.add(request);
      return () => void running.delete(request);
    },
    async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
      const request = onlyClient();
      if (request) return request.ask(method, params, signal);
      if (method === 'roots/list' && running.size === 0) return { roots: [] };
      throw new AppError(
        'CONFLICT',
        running.size === 0
          ? 'No client is calling this server, so that none can be asked.'
          : 'Several clients are calling this server, so that it is unknown which is meant. Set its connection to per_session.',
      );
    },
    log: (params: JsonObject) => onlyClient()?.onLog?.(params),
  };
}
