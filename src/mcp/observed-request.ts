import type { ProtocolRequest } from '../domain/protocol-request.ts';
import { isRecord } from '../lib/is-record.ts';
import type { RequestMessage } from './envelope.ts';

/** Methods that are counted by name. Other names are chosen by clients, and each would be a separate series. */
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

/** Longer names and URIs are cut. */
const MAX_TEXT_LENGTH = 200;

/** A request as traces show it. */
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

/** What a failed request is counted as: our code if it has one, otherwise JSON-RPC's. */
export function failureOf({ code, data }: { code: number; data?: unknown }): string {
  const own = isRecord(data) ? data.code : undefined;
  return typeof own === 'string' ? own : String(code);
}
