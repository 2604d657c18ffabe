import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { McpDoor } from './door.ts';
import { createMcpHttp } from './http.ts';
import type { OfferOptions } from './offer.ts';
import type { Registry } from './registry.ts';
import { createSse } from './sse.ts';

/** MCP over HTTP in both eras, and over SSE for the oldest clients. */
export function createMcpHttpDoor({ parts, offer }: McpDoor, options: OfferOptions) {
  const { only } = options;
  const registry = offer(options);
  const whole = { registry, only };
  const mcp = createMcpHttp(parts);
  const sse = createSse(parts);
  return {
    mcp: (request: IncomingMessage, response: ServerResponse, principal: Principal, wanted: readonly string[]) =>
      mcp.handle(request, response, {
        principal,
        ...(wanted.length === 0 ? whole : partOf(wanted, options, offer)),
      }),
    sse: (response: ServerResponse, principal: Principal) => sse.listen(response, { principal, registry, only }),
    messages: (request: IncomingMessage, response: ServerResponse, principal: Principal) =>
      sse.post(request, response, { principal, registry, only }),
    /** Whether the client of this session is served here. */
    holds: mcp.sessions.holds,
    async close(): Promise<void> {
      await Promise.all([mcp.close(), sse.close()]);
    },
  };
}

/** `/mcp` offers what the process was started with; `/mcp/<capabilities>` a part of that. */
function partOf(
  wanted: readonly string[],
  { only: served, readOnly }: OfferOptions,
  offer: McpDoor['offer'],
): { registry: Registry; only: readonly string[] } {
  const outside = wanted.find((name) => served.length > 0 && !served.includes(name));
  if (outside !== undefined) throw new AppError('NOT_FOUND', 'This capability is not served here.');
  try {
    return { registry: offer({ only: wanted, readOnly }), only: wanted };
  } catch (thrown) {
    throw new AppError('NOT_FOUND', thrown instanceof AppError ? thrown.message : 'There is no such endpoint.');
  }
}
