import { type HttpFault, sendFault, sendJson, startLoopback } from './loopback.ts';
import type { IssuedToken, LoopbackAuthority } from './oauth-authority.ts';

interface ProtectedServerOptions {
  authority: Pick<LoopbackAuthority, 'issuer' | 'accessTokens'>;
  /** Where its metadata is: named by the challenge, at the well-known address with its path, at the root, or nowhere. */
  metadata?: 'challenge' | 'path' | 'root' | 'none';
  /** Fields that replace those of the metadata. */
  fields?: Record<string, unknown>;
  /** The `scope` of the challenge. */
  scope?: string;
}

export interface ProtectedServer {
  origin: string;
  url: string;
  /** Addresses of metadata that were requested. */
  readonly probed: readonly string[];
  /** `Authorization` headers of all requests, for metadata too. */
  readonly headers: readonly (string | undefined)[];
  /** Answers 403 to a token without it. */
  requireScope(scope: string | undefined): void;
  changeMetadata(fields: Record<string, unknown>): void;
  failMetadata(fault: HttpFault): void;
  close(): Promise<void>;
}

/** An MCP server on loopback that wants a token for itself. It answers each request with an empty result. */
export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const { authority, metadata = 'challenge', scope } = options;
  const probed: string[] = [];
  const headers: (string | undefined)[] = [];
  let fields = options.fields ?? {};
  let required: string | undefined;
  let fault: HttpFault | undefined;
  const address = {
    challenge: '/metadata-of-mcp',
    path: '/.well-known/oauth-protected-resource/v1/mcp',
    root: '/.well-known/oauth-protected-resource',
    none: undefined,
  }[metadata];

  const { origin, close } = await startLoopback((request, _, { pathname }, response) => {
    headers.push(request.headers.authorization);
    if (pathname !== '/v1/mcp') {
      probed.push(pathname);
      if (fault && pathname === address) return sendFault(response, fault);
      if (![address, `${address}-moved`].includes(pathname)) return sendJson(response, 404, {});
      return sendJson(response, 200, {
        resource: `${origin}/v1/mcp`,
        authorization_servers: [authority.issuer],
        ...fields,
      });
    }
    const token = authority.accessTokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    const refusal = refusalOf(token);
    if (refusal) return sendJson(response, refusal.status, {}, { 'www-authenticate': refusal.challenge });
    sendJson(response, 200, { jsonrpc: '2.0', id: 1, result: {} });
  });

  function refusalOf(token: IssuedToken | undefined): { status: number; challenge: string } | undefined {
    const where = metadata === 'challenge' ? `, resource_metadata="${origin}${address}"` : '';
    if (!token || !`${origin}/v1/mcp`.startsWith(token.resource)) {
      const asked = scope === undefined ? '' : `, scope="${scope}"`;
      return { status: 401, challenge: `Bearer error="invalid_token"${asked}${where}` };
    }
    if (required === undefined || token.scope.split(' ').includes(required)) return undefined;
    return { status: 403, challenge: `Bearer error="insufficient_scope", scope="${required}"${where}` };
  }

  return {
    origin,
    url: `${origin}/v1/mcp`,
    probed,
    headers,
    requireScope(wanted) {
      required = wanted;
    },
    changeMetadata(changed) {
      fields = changed;
    },
    failMetadata(given) {
      fault = given;
    },
    close,
  };
}
