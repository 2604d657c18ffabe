import type { IncomingMessage, ServerResponse } from 'node:http';
import { classifyInboundRequest, createMcpHandler, InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { onRevoked } from '../domain/principal.ts';
import { isRecord } from '../lib/is-record.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import type { Caller, Registry, Subscription } from './registry.ts';
import { createProtocolServer } from './server.ts';
import { checkListened, createSubscriptions, listenedUris, updateMeta } from './subscriptions.ts';
import { isStream } from './web-messages.ts';

/** Whether a POST is of 2026-07-28, or a wrong one that the SDK refuses. */
export function isStateless(request: IncomingMessage, body: unknown): boolean {
  return classifyInboundRequest({ httpMethod: 'POST', ...standardHeaders(request), body }).kind !== 'legacy';
}

function standardHeaders({ headers }: IncomingMessage) {
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  const version = text('mcp-protocol-version');
  const method = text('mcp-method');
  const name = text('mcp-name');
  return {
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  };
}

export type RequestAccess = ClientAccess & Required<Pick<Caller, 'onDelivery' | 'becameCall' | 'waitsForUser'>>;

type Serve = (request: Request, body: unknown, access: RequestAccess) => Promise<Response>;

/** How an accepted request is served, and what to do when its client has disconnected. */
export interface Entered {
  serve: Serve;
  leave(): void;
}

export type Endpoint = ReturnType<typeof createEndpoint>;

/** The SDK's handler for one registry: it creates a server for each request. */
export function createEndpoint(parts: DoorParts, registry: Registry, onerror: (err: Error) => void) {
  const accesses = new WeakMap<Request, RequestAccess>();
  const listeners = new Set<Listener>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const access = requestInfo && accesses.get(requestInfo);
      if (!access) throw new Error('a request without a access');
      return createProtocolServer({ ...parts, registry }, { ...access, era: 'modern' });
    },
    { legacy: 'reject', onerror, maxRequestBodySize: parts.limits.maxLineBytes },
  );

  return {
    serve(request: Request, body: unknown, access: RequestAccess): Promise<Response> {
      accesses.set(request, access);
      return handler.fetch(request, { parsedBody: body });
    },
    /** Checks what a listen request subscribes to. */
    async listen(body: Record<string, unknown>, access: ClientAccess, response: ServerResponse): Promise<Entered> {
      const uris = listenedUris(isRecord(body.params) ? body.params : {});
      const checked = await checkListened(registry, uris, { principal: access.principal, era: 'modern' });
      const release = parts.subscribed.take(access.principal, checked.size);
      const listener = createListener({ ...parts, registry }, { access, checked, response, onerror });
      listeners.add(listener);
      const leave = () => {
        stop();
        release();
        for (const subscription of checked.values()) subscription.release?.();
        listeners.delete(listener);
        void listener.close();
      };
      const stop = onRevoked(access.principal, () => response.destroy());
      return { serve: listener.serve, leave };
    },
    async close(): Promise<void> {
      await Promise.all([...listeners].map((listener) => listener.close()));
      await handler.close();
    },
  };
}

type Listener = ReturnType<typeof createListener>;

interface Listening {
  access: ClientAccess;
  checked: ReadonlyMap<string, Subscription>;
  response: ServerResponse;
  onerror(err: Error): void;
}

/** Serves one listen request. It has its own event bus, since what one client has missed is not sent to others. */
function createListener(parts: DoorParts & { registry: Registry }, { access, checked, response, onerror }: Listening) {
  const { registry, log, limits } = parts;
  const bus = new InMemoryServerEventBus(onerror);
  const subscriptions = createSubscriptions({
    registry,
    principal: access.principal,
    log,
    deliver: async (uri, update) =>
      bus.publish({ kind: 'resource_updated', uri, params: { _meta: updateMeta(update) } }),
    ready: () => drained(response),
  });
  const stopListChanges = registry.onListChanged((list) => bus.publish({ kind: `${list}_list_changed` }), access);
  const handler = createMcpHandler(() => createProtocolServer(parts, { ...access, era: 'modern' }), {
    legacy: 'reject',
    bus,
    onerror,
    maxRequestBodySize: limits.maxLineBytes,
  });

  return {
    async serve(request: Request, body: unknown): Promise<Response> {
      const answer = await handler.fetch(request, { parsedBody: body });
      // The SDK has acknowledged it, so notifications may follow.
      if (isStream(answer)) for (const [uri, subscription] of checked) subscriptions.add(uri, subscription);
      return answer;
    },
    async close(): Promise<void> {
      stopListChanges();
      subscriptions.close();
      await handler.close();
    },
  };
}

/** Resolves when a response can be written to, or is closed. */
async function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.closed) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
