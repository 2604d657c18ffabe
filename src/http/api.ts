import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import { allows } from '../domain/principal.ts';
import { once } from '../lib/once.ts';
import type { Pipeline } from '../operation.ts';
import { answer } from './answers.ts';
import { createEvents } from './events.ts';
import { createRest, readingMethod } from './rest.ts';
import type { Rooms } from './server.ts';

export interface ApiParts {
  capabilities: readonly Capability[];
  pipeline: Pipeline;
  masker: { maskDeep<T>(value: T): T };
  store: { events: EventLog };
  version: string;
  maxBodyBytes(): number;
  /** Leaves out whatever changes or sends anything. */
  readOnly: boolean;
  telemetry: { metrics(): Promise<string> | undefined };
}

/** What stands below `/api/v1`: a route for each operation, their description, and the events. */
export function createApi({ pipeline, masker, store, version, telemetry, maxBodyBytes, ...parts }: ApiParts) {
  const capabilities = parts.readOnly ? parts.capabilities.map(readingOnly) : parts.capabilities;
  const events = createEvents({ events: store.events, maskDeep: masker.maskDeep });
  const system = capabilities.find(({ name }) => name === 'system');
  const rest = createRest(capabilities, pipeline, maxBodyBytes);
  const description = once(async () => (await import('./openapi.ts')).openApiOf(capabilities, version));

  const handle: Rooms['rest'] = async (request, response, url, path, principal) => {
    if (path === '/openapi.json' && readingMethod(request) === 'GET') return answer(response, 200, await description());
    if (path !== '/events') return rest(request, response, url, path, principal);
    // The stream itself may last for days; whoever opens it is let in, and written down, like any other caller.
    if (!system) throw new AppError('NOT_FOUND', 'There are no events here.');
    await pipeline.read(system, 'events', { principal, door: 'rest' }, async () => {});
    await events.stream(request, response, url, (event) =>
      capabilities.every(({ mayFollow }) => mayFollow?.(principal, event) ?? true),
    );
  };

  const metrics: Rooms['metrics'] = (principal) => {
    // Not through the pipeline: what asks every few seconds would fill the audit, and count itself.
    if (allows(principal, 'system:read')) return telemetry.metrics();
    throw new AppError('FORBIDDEN', `This takes the scope system:read, which ${principal.name} does not have.`);
  };
  return { handle, metrics, close: events.close };
}

function readingOnly(capability: Capability): Capability {
  return { ...capability, operations: capability.operations.filter(({ effect }) => effect === 'reads') };
}
