import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerableIdentity, isOwner, type Principal } from '../domain/principal.ts';
import { busy, createQuota, displaceable } from '../domain/quota.ts';

/** Keys of the section `limits` of the configuration. */
export interface OpenRequestLimits {
  max_concurrent_total: number;
  max_concurrent_per_token: number;
  max_streams: number;
  max_streams_per_token: number;
}

const REQUESTS = { things: 'requests', state: 'are running' };
const STREAMS = { things: 'streams', state: 'are open' };

/** Where a GET is answered by a stream. */
const STREAM_PATH = /^\/(?:sse|mcp(?:\/.*)?|api\/v1\/events)$/;
const LISTEN = 'subscriptions/listen';

/** Limits the requests and streams that are open at the same time, in total and per token. */
export function createOpenRequests(limits: () => OpenRequestLimits) {
  const streams = new Set<{ principal: Principal; response: ServerResponse }>();
  const requests = createQuota(REQUESTS, () => {
    const { max_concurrent_total: total, max_concurrent_per_token: perToken } = limits();
    return { total, perToken };
  });

  function openStream(principal: Principal, response: ServerResponse): () => void {
    const { max_streams: total, max_streams_per_token: perToken } = limits();
    const identity = answerableIdentity(principal);
    const own = [...streams].filter((stream) => answerableIdentity(stream.principal) === identity);
    if (!isOwner(principal) && own.length >= perToken) throw busy(STREAMS, perToken, 'of this token');
    if (streams.size >= total) {
      const [[oldest] = []] = displaceable(streams, principal);
      if (!oldest) throw busy(STREAMS, total, 'in all');
      streams.delete(oldest);
      oldest.response.destroy();
    }
    const stream = { principal, response };
    streams.add(stream);
    return () => void streams.delete(stream);
  }

  return {
    /**
     * Throws BUSY over a limit of this principal. Over the total, the oldest stream of the greediest one is closed. Returns
     * what to call when the response is closed.
     */
    enter(request: IncomingMessage, response: ServerResponse, path: string, principal: Principal): () => void {
      return isStream(request, path) ? openStream(principal, response) : requests.take(principal);
    },
  };
}

function isStream({ method, headers }: IncomingMessage, path: string): boolean {
  return method === 'GET' ? STREAM_PATH.test(path) : headers['mcp-method'] === LISTEN;
}
