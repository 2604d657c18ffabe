import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestId } from '../lib/id-scanner.ts';
import { isRecord } from '../lib/is-record.ts';
import type { ClientAccess } from './connection.ts';
import { isRequestId } from './envelope.ts';
import type { Identity } from './identity.ts';
import { STATELESS_VERSION } from './versions.ts';

const VERSION_META = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_META = 'io.modelcontextprotocol/serverInfo';

/** A request of 2026-07-28 with everything that such a request has to have. */
export interface StatelessRequest {
  id: RequestId;
  method: string;
  params: Record<string, unknown>;
  meta: Record<string, unknown>;
}

/** What a request is answered with. */
export interface Running {
  request: IncomingMessage;
  response: ServerResponse;
  access: ClientAccess;
}

/** Undefined where its headers do not repeat its body as they must, or something is missing: the SDK answers it then. */
export function statelessRequest(body: unknown, { headers }: IncomingMessage): StatelessRequest | undefined {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string' || !isRequestId(body.id))
    return undefined;
  const { id, method, params } = body;
  if (!isRecord(params) || !isRecord(params._meta)) return undefined;
  const { _meta: meta } = params;
  const repeats =
    headers['mcp-method'] === method &&
    headers['mcp-protocol-version'] === STATELESS_VERSION &&
    meta[VERSION_META] === STATELESS_VERSION;
  if (!repeats || !isRecord(meta[CAPABILITIES_META]) || !isToken(meta.progressToken)) return undefined;
  // They repeat arguments, which the SDK compares.
  for (const name in headers) if (name.startsWith('mcp-param-')) return undefined;
  return { id, method, params, meta };
}

function isToken(value: unknown): boolean {
  return value === undefined || isRequestId(value);
}

/** `_meta` of a result. */
export function resultMeta({ name, version }: Identity, given?: object): Record<string, unknown> {
  return { ...given, [SERVER_META]: { name, version } };
}
