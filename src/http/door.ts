import { declaredBy, withResolvedGrants } from '../capability.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { KnownToken } from '../domain/principal.ts';
import type { Log } from '../lib/log.ts';
import { type ApiParts, createApi } from './api.ts';
import type { OpenPort } from './port.ts';
import { createReadiness } from './readiness.ts';
import { type HttpHandlers, type HttpOptions, listenHttp } from './server.ts';
import { type AuthSettings, createAuth } from './tokens.ts';

/** The part of MCP that the HTTP server uses. */
export interface McpHandlers extends Pick<HttpHandlers, 'mcp' | 'sse' | 'messages'> {
  close(): Promise<void>;
}

export interface HttpDoorParts {
  port: OpenPort;
  options: Omit<HttpOptions, 'auth' | 'log'>;
  mcp: McpHandlers;
  api: ApiParts;
  /** The configuration in force. */
  authSettings(): AuthSettings;
  store: {
    events: EventLog;
    tokens: { list(): Promise<readonly KnownToken[]> };
    problems: Parameters<typeof createReadiness>[0];
  };
  log: Log;
}

/** Serves MCP, REST, health and metrics on an open port. */
export async function openHttpDoor({ port, options, mcp, api: apiParts, authSettings, store, log }: HttpDoorParts) {
  const auth = createAuth(authSettings(), () => store.tokens.list());
  const { grants } = declaredBy(apiParts.capabilities);
  const admit: typeof auth.admit = async (authorization) => {
    const admission = await auth.admit(authorization);
    if (admission.kind === 'refused') return admission;
    return { ...admission, principal: await withResolvedGrants(grants, admission.principal) };
  };
  const api = createApi(apiParts);
  const handlers = { ...mcp, rest: api.handle, metrics: api.metrics, ready: createReadiness(store.problems) };
  const http = await listenHttp(handlers, port, { ...options, auth: { ...auth, admit }, log });
  const stopListening = store.events.listen((events) => {
    if (events.some(({ type }) => type.startsWith('token.'))) void auth.judgeAgain();
  });
  return {
    url: http.url,
    /** The tokens of the configuration have changed: clients with other rights than before are disconnected. */
    reconfigured: () => auth.change(authSettings()),
    close: () =>
      http.close(async () => {
        stopListening();
        await Promise.all([mcp.close(), api.close()]);
      }),
  };
}
