import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Session } from '../domain/session.ts';
import type { Log } from '../lib/log.ts';
import type { Era } from './errors.ts';
import type { Caller } from './registry.ts';
import { createProtocolServer, type ServerParts, type Subscriber } from './server.ts';

export interface SdkConnectionParts {
  server: ServerParts;
  caller: Omit<Caller, 'era' | 'version'>;
  /** For sessions; clients of 2026-07-28 subscribe by `subscriptions/listen`. */
  subscriber: Subscriber;
  send: Transport['send'];
  log: Log;
}

/** The SDK's server on a persistent connection. The first messages decide the protocol era. */
export function connectSdk({ server, caller, subscriber, send, log }: SdkConnectionParts) {
  let current: { era: Era; mcp: ReturnType<typeof createProtocolServer> } | undefined;
  const transport: Transport = { start: async () => {}, close: async () => transport.onclose?.(), send };
  const serving = serveStdio(
    ({ era }) => {
      const mcp = createProtocolServer(server, { ...caller, era }, era === 'legacy' ? subscriber : undefined);
      current = { era, mcp };
      return mcp;
    },
    { transport, onerror: (err) => log.debug({ err }, 'the MCP SDK reports an error') },
  );

  function deliver(message: JSONRPCMessage): void {
    transport.onmessage?.(message);
  }

  return {
    deliver,
    /** Replays what the client of a session has sent before; the answers are dropped. */
    restore({ protocolVersion, client, clientCapabilities, logLevel }: Session): void {
      const say = (method: string, params: Record<string, unknown>) =>
        deliver({ jsonrpc: '2.0', id: `restored ${method}`, method, params });
      say('initialize', { protocolVersion, clientInfo: client, capabilities: clientCapabilities });
      deliver({ jsonrpc: '2.0', method: 'notifications/initialized' });
      if (logLevel !== undefined) say('logging/setLevel', { level: logLevel });
    },
    notifyListChanged(list: 'tools' | 'resources' | 'prompts'): void {
      const target = current?.mcp.server;
      if (list === 'tools') target?.sendToolListChanged().catch(() => {});
      if (list === 'resources') target?.sendResourceListChanged().catch(() => {});
      if (list === 'prompts') target?.sendPromptListChanged().catch(() => {});
    },
    close: () => serving.close(),
  };
}

export type SdkConnection = ReturnType<typeof connectSdk>;
