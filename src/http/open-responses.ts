import type { ServerResponse } from 'node:http';
import { onRevoked, type Principal } from '../domain/principal.ts';

/**
 * Closes a response when the rights of its principal are revoked, so that no stream outlives them. A request that has
 * arrived completely is still answered, because it was authorized when it arrived. Returns what to call when it is closed.
 */
export function closeWhenRevoked(principal: Principal, response: ServerResponse): () => void {
  return onRevoked(principal, () => {
    const { method, complete } = response.req;
    if (response.headersSent || method === 'GET' || !complete) response.destroy();
  });
}
