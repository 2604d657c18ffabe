import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { AppError } from '../domain/errors.ts';
import type { GatewaySession } from '../domain/gateway.ts';
import type { Session } from '../domain/session.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import { createClientRequests } from './client-requests.ts';
import { canAnswer } from './gateway-request.ts';
import { createHotPath } from './hot-path.ts';
import { createLateSdk } from './late-sdk.ts';
import { withoutNullParams } from './params.ts';
import type { SdkConnectionParts } from './sdk-connection.ts';
import { claimedVersion } from './versions.ts';

export interface DispatcherParts extends SdkConnectionParts {
  /** The session of this connection, once its `initialize` has been checked. */
  session(): Session | undefined;
  /** A session that began in an earlier process. */
  isRestored: boolean;
  /** The SDK could not be loaded. */
  onFailure(err: unknown): void;
}

/** The facts that decide the destination of a message. */
export interface DispatchState {
  /** A session has begun: its common requests are answered on the hot path. */
  readonly begun: boolean;
  /** The SDK has received a message, and follows the connection since then. */
  readonly sdkUsed: boolean;
}

/**
 * The destination of a message. `hot-path`: there, and the SDK if it is not answered there. `nowhere`: a notification
 * or response that means nothing, since the SDK has not sent or received anything.
 */
export function routeOf({ begun, sdkUsed }: DispatchState, message: JSONRPCMessage): 'hot-path' | 'sdk' | 'nowhere' {
  if (!begun) return beginsSession(message) && !sdkUsed ? 'hot-path' : 'sdk';
  if (isRequest(message) || isCancellation(message)) return 'hot-path';
  return sdkUsed ? 'sdk' : 'nowhere';
}

/** Hands each message to what answers it: our hot path, or the SDK, which decides the era once it has seen a message. */
export function createDispatcher({ session, isRestored, onFailure, ...parts }: DispatcherParts) {
  let begun = isRestored;
  const { server, send, log } = parts;
  const version = () => session()?.protocolVersion;
  const clientRequests = createClientRequests(send);
  const ended = new AbortController();
  const connection: GatewaySession = {
    ended: ended.signal,
    async ask(method, params, signal) {
      if (begun && canAnswer(session()?.clientCapabilities, method, params))
        return clientRequests.ask(undefined, method, params, signal);
      throw new AppError('CONFLICT', 'The client cannot answer this.');
    },
  };
  const caller = {
    ...parts.caller,
    ask: clientRequests.ask,
    connection,
    logLevel: () => session()?.logLevel,
    clientName: () => session()?.client?.name,
  };
  const hotPath = createHotPath({ ...server, caller: { ...caller, era: 'legacy', version }, send, log });
  const sdk = createLateSdk({ ...parts, caller, begunSession: () => (begun ? session() : undefined), onFailure });

  function deliver(given: JSONRPCMessage): void {
    const message = withoutNullParams(given);
    if (!('method' in message) && clientRequests.take(message)) return;
    if (isNotification(message, 'notifications/roots/list_changed')) server.registry.rootsChanged?.(connection);
    const route = routeOf({ begun, sdkUsed: sdk.isUsed() }, message);
    if (route === 'sdk') return sdk.deliver(message);
    if (route === 'nowhere') return;
    begun = true;
    if (isRequest(message)) return hotPath.take(message) ? undefined : sdk.deliver(message);
    if (!isCancellation(message) || hotPath.cancel(message.params.requestId, message.params.reason)) return;
    if (sdk.isUsed()) sdk.deliver(message);
  }

  return {
    deliver,
    /** An `initialize` has succeeded. */
    onSessionBegun(): void {
      begun = true;
    },
    notifyListChanged(list: 'tools' | 'resources' | 'prompts'): void {
      if (!begun) return sdk.notifyListChanged(list);
      send({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }).catch(() => {});
    },
    /** Answers of the client are not read any more: no request may wait for one. */
    endQuestions: clientRequests.close,
    async close(): Promise<void> {
      hotPath.close();
      clientRequests.close();
      ended.abort();
      await sdk.close();
    },
  };
}

type Request = Extract<JSONRPCMessage, { method: string; id: RequestId }>;
type Cancellation = JSONRPCMessage & { params: { requestId: RequestId; reason?: unknown } };

function isRequest(message: JSONRPCMessage): message is Request {
  return 'method' in message && 'id' in message;
}

/** The SDK decides about an `initialize` that claims to be of 2026-07-28. */
function beginsSession(message: JSONRPCMessage): boolean {
  return isRequest(message) && message.method === 'initialize' && claimedVersion(message.params) === undefined;
}

function isCancellation(message: JSONRPCMessage): message is Cancellation {
  return isNotification(message, 'notifications/cancelled') && message.params !== undefined;
}

function isNotification(
  message: JSONRPCMessage,
  method: string,
): message is Extract<JSONRPCMessage, { method: string }> {
  return 'method' in message && message.method === method;
}
