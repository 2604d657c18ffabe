import type { JsonObject } from '../../domain/json.ts';
import type { ServerEvent } from '../../domain/server-state.ts';

const TYPES: Record<ServerEvent['type'], string> = {
  ServerEnabled: 'server.enabled',
  ServerDisabled: 'server.disabled',
  ServerStarting: 'server.starting',
  ServerRunning: 'server.running',
  ServerFailed: 'server.error',
  ServerStopped: 'server.stopped',
};

/** Changes of a server's state for the event log: without what the server printed. */
export function stateEvents(events: readonly ServerEvent[]): { type: string; data: JsonObject }[] {
  return events.map((event) => ({ type: TYPES[event.type], data: dataOf(event) }));
}

function dataOf(event: ServerEvent): JsonObject {
  if (event.type === 'ServerFailed') {
    const { problem, failures, retryAt } = event;
    return {
      code: problem.code,
      message: problem.message,
      failures,
      ...(retryAt === undefined ? {} : { retry_at: new Date(retryAt).toISOString() }),
    };
  }
  return event.type === 'ServerStopped' ? { by_hand: event.byHand } : {};
}
