import type { IncomingMessage } from 'node:http';
import type { RequestId } from '../lib/id-scanner.ts';
import { isRecord } from '../lib/is-record.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import { requestError } from './errors.ts';
import { isPlain } from './hot-path.ts';
import { sendText } from './http-answers.ts';
import { listMethods } from './lists.ts';
import { failureOf } from './observed-request.ts';
import { type Running, resultMeta, type StatelessRequest } from './stateless-request.ts';

const CLIENT_META = 'io.modelcontextprotocol/clientInfo';
const LIST_PARAMS: ReadonlySet<string> = new Set(['cursor', '_meta']);
const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);

/** A request for a list that needs nothing of the SDK. */
export interface StatelessList {
  id: RequestId;
  method: string;
  params: Record<string, unknown>;
  client: string | undefined;
}

/** Undefined where the request is none, or needs the SDK. */
export function statelessList(
  { id, method, params, meta }: StatelessRequest,
  { headers }: IncomingMessage,
  { registry, principal }: ClientAccess,
): StatelessList | undefined {
  if (!LISTS.has(method) || headers['mcp-name'] !== undefined) return undefined;
  for (const key in params) if (!LIST_PARAMS.has(key)) return undefined;
  const client = clientIn(meta);
  if (method === 'tools/list' && !registry.tools(principal, client).every(isPlain)) return undefined;
  return { id, method, params, client };
}

/** The name that a client gives itself. */
export function clientIn(meta: Record<string, unknown>): string | undefined {
  const info = meta[CLIENT_META];
  return isRecord(info) && typeof info.name === 'string' ? info.name : undefined;
}

/** Returns how it failed, where it did. */
export function answerList(
  parts: DoorParts,
  { id, method, params, client }: StatelessList,
  { response, access: { registry, principal } }: Running,
): string | undefined {
  const { pageSize, listTtlMs, identity } = parts;
  try {
    const list = listMethods({ registry, pageSize }).get(method);
    const listed = list?.(params, { principal, clientName: () => client });
    // Private, because lists depend on the principal.
    const result = { ...listed, ...CACHE, ttlMs: listTtlMs, _meta: resultMeta(identity) };
    sendText(response, 200, JSON.stringify({ result, jsonrpc: '2.0', id }));
    return undefined;
  } catch (thrown) {
    const { code, message, data } = requestError(thrown, 'modern');
    const error = { code, message, ...(data === undefined ? {} : { data }) };
    sendText(response, 200, JSON.stringify({ jsonrpc: '2.0', id, error }));
    return failureOf(error);
  }
}

const CACHE = { resultType: 'complete', cacheScope: 'private' };
