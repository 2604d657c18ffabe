import type { EventLog } from '../domain/event-log.ts';
import type { KnownToken } from '../domain/principal.ts';
import type { Log } from '../lib/log.ts';
import { writeToStderr } from '../lib/stderr.ts';
import { type ApiParts, createApi } from './api.ts';
import { madeToken } from './made-token.ts';
import { isLoopback } from './origin-guard.ts';
import { linuxPeerUsers } from './peer-user.ts';
import type { OpenPort } from './port.ts';
import { createReadiness } from './readiness.ts';
import { type HttpHandlers, type HttpOptions, listenHttp } from './server.ts';
import { type AuthSettings, createAuth } from './tokens.ts';

/** The part of MCP that the HTTP server uses. */
export interface McpHandlers extends Pick<HttpHandlers, 'mcp' | 'sse' | 'messages'> {
  /** The rights of this token have changed. */
  renew(token: string): Promise<void>;
  close(): Promise<void>;
}

export interface HttpDoorParts {
  home: string;
  port: OpenPort;
  options: Omit<HttpOptions, 'auth' | 'log' | 'peers'>;
  mcp: McpHandlers;
  api: ApiParts & { masker: { add(secret: string): void } };
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
export async function openHttpDoor({ port, options, mcp, api: apiParts, store, log, ...parts }: HttpDoorParts) {
  const peers = linuxPeerUsers();
  const auth = createAuth(parts.authSettings(), () => store.tokens.list());
  const needsToken = isLoopback(options.host) && !peers.canTell && !(await auth.required());
  const made = needsToken ? await madeToken(parts.home) : undefined;
  const authSettings = () => ({ ...(made ? { owner: made.token } : {}), ...parts.authSettings() });
  if (made) {
    apiParts.masker.add(made.token);
    auth.change(authSettings());
    writeToStderr(`switchboard: HTTP clients send "Authorization: Bearer ${made.token}" (from ${made.path}).\n`);
  }
  const api = createApi(apiParts);
  const handlers = { ...mcp, rest: api.handle, metrics: api.metrics, ready: createReadiness(store.problems) };
  const http = await listenHttp(handlers, port, { ...options, auth, peers, log });
  const stopListening = store.events.listen((events) => {
    for (const { type, subject } of events) if (type === 'token.removed') http.cutOff(subject);
  });
  return {
    url: http.url,
    /** The tokens of the configuration have changed: those that lost rights are disconnected. */
    async reconfigured(): Promise<void> {
      for (const name of auth.change(authSettings())) {
        http.cutOff(name);
        await mcp.renew(name);
      }
    },
    close: () =>
      http.close(async () => {
        stopListening();
        await Promise.all([mcp.close(), api.close()]);
      }),
  };
}
