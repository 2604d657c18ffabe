import type { JsonObject } from '../../domain/json.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { createPeer, type Peer } from './peer.ts';
import { createSessionUpstream, initialize } from './session-era.ts';
import { createStatelessUpstream, discover } from './stateless-era.ts';
import { type Upstream, UpstreamFailure, type UpstreamListener, type UpstreamTransport } from './upstream.ts';

export interface ConnectOptions {
  transport: UpstreamTransport;
  listener: UpstreamListener;
  protocol: ServerConfig['protocol'];
  clientInfo: JsonObject;
  /** Those of the only client, where the connection has only one. */
  capabilities?: JsonObject;
  /** For the whole handshake, and later for each request of our own, such as a page of a list. */
  handshakeTimeoutMs: number;
  signal: AbortSignal;
}

export interface Handshake {
  protocolVersion: string;
  serverInfo: JsonObject;
  capabilities: JsonObject;
  instructions: string | undefined;
}

/** What both eras are made of. */
export interface EraParts {
  peer: Peer;
  handshake: Handshake;
  listener: UpstreamListener;
  clientInfo: JsonObject;
  timeoutMs: number;
}

/** A server that has answered the first request answers this at once, or not at all. */
const PROBE_MS = 10_000;

/** Codes with which servers refuse `initialize`: unknown method, unsupported version, invalid parameters or request. */
const REFUSALS = [-32601, -32022, -32602, -32600];
/** Over HTTP, also without a message. */
const REFUSED_STATUS = [400, 404, 405];

/** Does the handshake. Where it fails, the transport is closed. */
export async function connectUpstream(options: ConnectOptions): Promise<Upstream> {
  const { transport, listener, handshakeTimeoutMs, signal } = options;
  const peer = createPeer(transport, listener);
  const failure = (why: 'timeout' | 'cancelled') =>
    why === 'timeout'
      ? new UpstreamFailure('timeout', 'The server did not complete the handshake in time.')
      : new UpstreamFailure('cancelled', 'The connection was cancelled.');
  try {
    return await withDeadline(handshakeTimeoutMs, signal, failure, (within) => shakeHands(peer, options, within));
  } catch (thrown) {
    await peer.close();
    throw thrown;
  }
}

async function shakeHands(peer: Peer, options: ConnectOptions, signal: AbortSignal): Promise<Upstream> {
  const { listener, clientInfo, handshakeTimeoutMs: timeoutMs, protocol } = options;
  const waiting = { signal, timeoutMs };
  const stateless = (handshake: Handshake): Upstream => {
    peer.began('stateless', handshake.protocolVersion);
    return createStatelessUpstream({ peer, handshake, listener, clientInfo, timeoutMs });
  };

  if (protocol === 'stateless') return stateless(await discover(peer, clientInfo, waiting));
  let handshake: Handshake;
  try {
    handshake = await initialize(peer, clientInfo, waiting, options.capabilities);
  } catch (thrown) {
    const found = protocol === 'auto' && isRefusal(thrown) ? await probe() : undefined;
    if (!found) throw thrown;
    return stateless(found);
  }
  const found = protocol === 'auto' && options.transport.hasSession?.() === false ? await probe() : undefined;
  if (found) return stateless(found);
  peer.began('sessions', handshake.protocolVersion);
  await peer.notify('notifications/initialized');
  return createSessionUpstream({ peer, handshake, listener, clientInfo, timeoutMs });

  /** Also where there is no session over HTTP: the server can neither ask nor notify then; in the other era it can. */
  function probe(): Promise<Handshake | undefined> {
    return discover(peer, clientInfo, { signal, timeoutMs: Math.min(PROBE_MS, timeoutMs) }).catch(() => undefined);
  }
}

function isRefusal(thrown: unknown): boolean {
  if (!(thrown instanceof UpstreamFailure)) return false;
  if (thrown.kind === 'rpc') return REFUSALS.includes(thrown.rpc?.code ?? 0);
  return thrown.kind === 'protocol' && REFUSED_STATUS.includes(thrown.status ?? 0);
}
