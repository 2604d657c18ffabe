import type { EventLog } from '../domain/event-log.ts';
import type { Capability, Pipeline } from '../operation.ts';
import { createEvents } from './events.ts';
import { createRest } from './rest.ts';
import type { Rooms } from './server.ts';

export interface ApiParts {
  capabilities: readonly Capability[];
  pipeline: Pipeline;
  masker: { maskDeep<T>(value: T): T };
  store: { events: EventLog };
  maxBodyBytes: number;
}

/** What stands below `/api/v1`: a route for each operation, and what is not an operation. */
export function createApi({ capabilities, pipeline, masker, store, maxBodyBytes }: ApiParts) {
  const events = createEvents({ events: store.events, maskDeep: masker.maskDeep });
  const system = capabilities.find(({ name }) => name === 'system');

  const rest = createRest(capabilities, pipeline, maxBodyBytes);

  const handle: Rooms['rest'] = async (request, response, url, path, principal) => {
    if (path !== '/events') return rest(request, response, url, path, principal);
    // The stream itself may last for days; whoever opens it is let in, and written down, like any other caller.
    if (system) await pipeline.read(system, 'events', { principal, door: 'rest' }, async () => {});
    await events.stream(request, response, url);
  };
  return { handle, close: events.close };
}
