import { declaredBy, rightsBeyond, withResolvedGrants } from '../capability.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { KnownToken, Principal } from '../domain/principal.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { writeToStderr } from '../lib/stderr.ts';
import { type ApiParts, createApi } from './api.ts';
import { madeToken } from './made-token.ts';
import { isLoopback } from './origin-guard.ts';
import { linuxPeerUsers } from './peer-user.ts';
import type { OpenPort } from './port.ts';
import { createReadiness } from './readiness.ts';
import { createRefusals, type RefusalParts } from './refusals.ts';
import { type HttpHandlers, type HttpOptions, listenHttp } from './server.ts';
import { type Admission, type AuthSettings, createAuth } from './tokens.ts';

/** The part of MCP that the HTTP server uses. */
export interface McpHandlers extends Pick<HttpHandlers, 'mcp' | 'sse' | 'messages'> {
  close(): Promise<void>;
}

export interface HttpDoorParts {
  home: string;
  port: OpenPort;
  options: Omit<HttpOptions, 'auth' | 'log' | 'peers' | 'onRefused'>;
  mcp: McpHandlers;
  api: ApiParts & { masker: { add(secret: string): void } };
  /** The configuration in force. */
  authSettings(): AuthSettings;
  store: {
    events: EventLog;
    tokens: { list(): Promise<readonly KnownToken[]> };
    problems: Parameters<typeof createReadiness>[0];
    audit: RefusalParts['audit'];
  };
  log: Log;
}

/** Serves MCP, REST, health and metrics on an open port. */
export async function openHttpDoor({ port, options, mcp, api: apiParts, store, log, ...parts }: HttpDoorParts) {
  const peers = linuxPeerUsers();
  const { grants } = declaredBy(apiParts.capabilities);
  const covers = async (maker: Principal, made: Principal) =>
    !rightsBeyond(await withResolvedGrants(grants, maker), { scopes: made.scopes, facts: made }, grants);
  const auth = createAuth(parts.authSettings(), () => store.tokens.list(), covers);
  const needsToken = isLoopback(options.host) && !peers.canTell && !(await auth.required());
  const made = needsToken ? await madeToken(parts.home) : undefined;
  const authSettings = () => ({ ...(made ? { owner: made.token } : {}), ...parts.authSettings() });
  if (made) {
    apiParts.masker.add(made.token);
    await auth.change(authSettings());
    writeToStderr(`switchboard: HTTP clients send "Authorization: Bearer ${made.token}" (from ${made.path}).\n`);
  }
  const withGrants = async (admission: Admission): Promise<Admission> => {
    if (admission.kind === 'refused' || admission.principal.kind === 'local') return admission;
    return { ...admission, principal: await withResolvedGrants(grants, admission.principal) };
  };
  const admit: typeof auth.admit = (authorization) => {
    const admission = auth.admit(authorization);
    // Known at once, it is the local user, who has no grants.
    return admission instanceof Promise ? admission.then(withGrants) : admission;
  };
  const refusals = createRefusals({ audit: store.audit, clock: systemClock });
  const api = createApi(apiParts);
  const handlers = { ...mcp, rest: api.handle, metrics: api.metrics, ready: createReadiness(store.problems) };
  // Before the first request: tokens are read again only when they have changed.
  const stopListening = store.events.listen((events) => {
    if (events.some(({ type }) => type.startsWith('token.'))) void auth.judgeAgain();
  });
  const http = await listenHttp(handlers, port, {
    ...options,
    auth: { ...auth, admit },
    peers,
    log,
    onRefused: refusals.note,
  });
  return {
    url: http.url,
    /** The tokens of the configuration have changed: clients with other rights than before are disconnected. */
    reconfigured: () => auth.change(authSettings()),
    close: () =>
      http.close(async () => {
        stopListening();
        refusals.close();
        await Promise.all([mcp.close(), api.close()]);
      }),
  };
}
