import type { JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { EraParts, Handshake } from './connect.ts';
import { fetchList } from './listing.ts';
import type { Peer } from './peer.ts';
import type { PeerRequestOptions } from './pending-requests.ts';
import { asObject, relayedCapabilities, SESSION_VERSIONS } from './protocol.ts';
import { type Upstream, UpstreamFailure } from './upstream.ts';

const CAPABILITIES: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

/** What a server answered to `initialize`. */
export async function initialize(
  peer: Peer,
  clientInfo: JsonObject,
  options: PeerRequestOptions,
  client?: JsonObject,
): Promise<Handshake> {
  const capabilities = client ? relayedCapabilities(client) : CAPABILITIES;
  const params = { protocolVersion: SESSION_VERSIONS[0], capabilities, clientInfo };
  const result = await peer.request('initialize', params, options);
  const { protocolVersion, serverInfo, instructions } = result;
  if (!SESSION_VERSIONS.some((known) => known === protocolVersion)) {
    throw new UpstreamFailure('protocol', 'The server speaks a version of MCP that Switchboard does not know.');
  }
  return {
    protocolVersion: protocolVersion as string,
    capabilities: asObject(result.capabilities),
    serverInfo: asObject(serverInfo),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** A connection with a session; the handshake has been done. */
export function createSessionUpstream({ peer, handshake, listener, timeoutMs }: EraParts): Upstream {
  const { capabilities } = handshake;
  const request = (method: string, params: JsonObject, signal: AbortSignal) =>
    peer.request(method, params, { signal, timeoutMs });
  // Requests whose callers do not wait for long, and that no one cancels.
  const never = new AbortController().signal;

  return {
    era: 'sessions',
    ...handshake,
    list: (name, signal) =>
      fetchList(name, {
        capabilities,
        request: (method, params) => request(method, params, signal),
        onNoise: listener.onNoise,
      }),
    request: peer.request,
    async subscribe(uri, signal) {
      if (!isRecord(capabilities.resources) || capabilities.resources.subscribe !== true) throw cannotSubscribe();
      await request('resources/subscribe', { uri }, signal);
    },
    async unsubscribe(uri) {
      await request('resources/unsubscribe', { uri }, never);
    },
    async setLogLevel(level) {
      if (isRecord(capabilities.logging)) await request('logging/setLevel', { level }, never);
    },
    async ping(signal) {
      await request('ping', {}, signal);
    },
    rootsChanged: () => peer.notify('notifications/roots/list_changed'),
    closed: peer.closed,
    close: peer.close,
  };
}

export function cannotSubscribe(): UpstreamFailure {
  return new UpstreamFailure('protocol', 'The server does not report changes of this resource.');
}
