import { type Capability, checkAccess, mayFollow } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import { once } from '../lib/once.ts';
import type { Access, Pipeline } from '../operation.ts';
import { createEvents } from './events.ts';
import { sendJson } from './responses.ts';
import { createRest, routingMethod } from './rest.ts';
import type { HttpHandlers } from './server.ts';

export interface ApiParts {
  capabilities: readonly Capability[];
  pipeline: Pipeline;
  masker: { maskDeep<T>(value: T): T };
  store: { events: EventLog };
  version: string;
  maxBodyBytes(): number;
  /** Offers only operations that read. */
  readOnly: boolean;
  telemetry: { metrics(): Promise<string> | undefined };
}

/** Opens the event stream; every event has a right of its own. */
export const EVENT_STREAM: Access = { right: 'read', confined: true };
/** The metrics count the calls and sessions of all callers. */
export const METRICS: Access = { right: 'read' };

/** Everything below `/api/v1`: a route per operation, the OpenAPI document and the event stream. */
export function createApi({ pipeline, masker, store, version, telemetry, maxBodyBytes, ...parts }: ApiParts) {
  const capabilities = parts.readOnly ? parts.capabilities.map(readingOnly) : parts.capabilities;
  const events = createEvents({ events: store.events, maskDeep: masker.maskDeep });
  const system = capabilities.find(({ name }) => name === 'system');
  const rest = createRest(capabilities, pipeline, maxBodyBytes);
  const description = once(async () => (await import('./openapi.ts')).openApiOf(capabilities, version));

  const handle: HttpHandlers['rest'] = async (request, response, url, path, principal) => {
    if (path === '/openapi.json' && routingMethod(request) === 'GET')
      return sendJson(response, 200, await description());
    if (path !== '/events') return rest(request, response, url, path, principal);
    // The stream may be open for days. Opening it uses the pipeline, so that it is authorized and audited
    // like any call.
    if (!system) throw new AppError('NOT_FOUND', 'Events are not available on this endpoint.');
    await pipeline.read(system, { name: 'events', access: EVENT_STREAM }, { principal, door: 'rest' }, async () => {});
    await events.stream(request, response, url, {
      mayFollow: (event) => mayFollow(capabilities, principal, event),
      noteDelivery: async ({ data }) => {
        for (const { noteDelivery } of capabilities) await noteDelivery?.({ principal }, data);
      },
    });
  };

  const metrics: HttpHandlers['metrics'] = (principal) => {
    // Bypasses the pipeline, because a scrape every few seconds would fill the audit log and count itself.
    if (!system) throw new AppError('NOT_FOUND', 'Metrics are not available on this endpoint.');
    checkAccess(system, METRICS, principal);
    return telemetry.metrics();
  };
  return { handle, metrics, close: events.close };
}

function readingOnly(capability: Capability): Capability {
  return { ...capability, operations: capability.operations.filter(({ effect }) => effect === 'reads') };
}
