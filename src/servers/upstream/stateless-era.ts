import type { JsonObject } from '../../domain/json.ts';
import type { EraParts, Handshake } from './connect.ts';
import { answerInputRequests } from './input-requests.ts';
import { createListening } from './listening.ts';
import { fetchList } from './listing.ts';
import type { Peer } from './peer.ts';
import type { PeerRequestOptions } from './pending-requests.ts';
import { asObject, META, relayedCapabilities, STATELESS_VERSION } from './protocol.ts';
import { type Upstream, UpstreamFailure, type UpstreamRequestOptions } from './upstream.ts';

const CAPABILITIES: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** What a request states about its client. */
type Stated = Pick<UpstreamRequestOptions, 'logLevel' | 'capabilities'>;

/** A server may need as many rounds of questions for one request. */
const MAX_ROUNDS = 20;

/** What a server answered to `server/discover`. */
export async function discover(peer: Peer, clientInfo: JsonObject, options: PeerRequestOptions): Promise<Handshake> {
  const result = await peer.request('server/discover', withClaim({}, clientInfo, undefined), options);
  const { supportedVersions, capabilities, instructions, _meta } = result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(STATELESS_VERSION)) {
    throw new UpstreamFailure('protocol', 'The server speaks a version of MCP that Switchboard does not know.');
  }
  return {
    protocolVersion: STATELESS_VERSION,
    capabilities: asObject(capabilities),
    serverInfo: asObject(asObject(_meta)[META.serverInfo]),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** A connection without a session: each request states the version and the client. */
export function createStatelessUpstream(parts: EraParts): Upstream {
  const { peer, handshake, listener, clientInfo, timeoutMs } = parts;
  const { capabilities } = handshake;
  let logLevel: string | undefined;
  const claimed = (params: JsonObject, { logLevel: level = logLevel, capabilities: client }: Stated = {}) =>
    withClaim(params, clientInfo, level, client && relayedCapabilities(client));
  const listening = createListening({ ...parts, claimed });

  async function request(method: string, params: JsonObject, options: UpstreamRequestOptions): Promise<JsonObject> {
    let result = await peer.request(method, claimed(params, options), options);
    for (let round = 1; result.resultType === 'input_required'; round++) {
      if (round > MAX_ROUNDS) {
        throw new UpstreamFailure('protocol', `The server had more than ${MAX_ROUNDS} rounds of questions.`);
      }
      const answers = await answerInputRequests(result, options, listener);
      result = await peer.request(method, claimed({ ...params, ...answers }, options), options);
    }
    return complete(result);
  }

  return {
    era: 'stateless',
    ...handshake,
    list: (name, signal) =>
      fetchList(name, {
        capabilities,
        request: (method, params) => request(method, params, { signal, timeoutMs }),
        onNoise: listener.onNoise,
      }),
    request,
    subscribe: listening.subscribe,
    unsubscribe: listening.unsubscribe,
    async setLogLevel(level) {
      logLevel = level;
    },
    async ping(signal) {
      await request('server/discover', {}, { signal, timeoutMs });
    },
    async rootsChanged() {},
    closed: peer.closed,
    close: peer.close,
  };
}

function complete(result: JsonObject): JsonObject {
  const { resultType, ...rest } = result;
  if (resultType === undefined) return result;
  if (resultType === 'complete') return rest;
  throw new UpstreamFailure('protocol', 'The server answered with a type of result that Switchboard does not know.');
}

function withClaim(
  params: JsonObject,
  clientInfo: JsonObject,
  level: string | undefined,
  client = CAPABILITIES,
): JsonObject {
  const { [META.logLevel]: _, ...meta } = asObject(params._meta);
  meta[META.version] = STATELESS_VERSION;
  meta[META.capabilities] = client;
  meta[META.clientInfo] = clientInfo;
  if (level !== undefined) meta[META.logLevel] = level;
  return { ...params, _meta: meta };
}
