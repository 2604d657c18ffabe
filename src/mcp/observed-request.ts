import type { ProtocolRequest } from '../domain/protocol-request.ts';
import { isRecord } from '../lib/is-record.ts';
import type { RequestMessage } from './envelope.ts';

/** What anybody else may call a method is not kept: each name would be counted apart. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'shutdown',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
]);
const OTHER = '_OTHER';

/** Enough to know it by. */
const MAX_TEXT_LENGTH = 200;

/** A request as whoever traces it sees it. */
export function protocolRequest({ id, method, params }: RequestMessage, protocolVersion?: string): ProtocolRequest {
  const meta = isRecord(params?._meta) ? params._meta : {};
  const text = (key: 'tool' | 'prompt' | 'resource' | 'traceparent' | 'tracestate', value: unknown) =>
    typeof value === 'string' ? { [key]: value.slice(0, MAX_TEXT_LENGTH) } : {};
  return {
    method: METHODS.has(method) ? method : OTHER,
    id: String(id),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(method === 'tools/call' ? text('tool', params?.name) : {}),
    ...(method === 'prompts/get' ? text('prompt', params?.name) : {}),
    ...(method.startsWith('resources/') ? text('resource', params?.uri) : {}),
    ...text('traceparent', meta.traceparent),
    ...text('tracestate', meta.tracestate),
  };
}

/** What a failed request is counted as: our code where there is one, else JSON-RPC's. */
export function failureOf({ code, data }: { code: number; data?: unknown }): string {
  const own = isRecord(data) ? data.code : undefined;
  return typeof own === 'string' ? own : String(code);
}
