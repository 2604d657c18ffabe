import type { RequestId } from '../lib/id-scanner.ts';
import { isRecord } from '../lib/is-record.ts';

export interface RequestMessage {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: Record<string, unknown> | undefined;
}

export interface NotificationMessage {
  jsonrpc: '2.0';
  method: string;
  params?: Record<string, unknown>;
}

export interface ResponseMessage {
  jsonrpc: '2.0';
  id: RequestId;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A JSON value classified as JSON-RPC, with only the fields that JSON-RPC defines. */
export type Envelope =
  | { kind: 'request'; message: RequestMessage }
  | { kind: 'notification'; message: NotificationMessage }
  | { kind: 'response'; message: ResponseMessage }
  /** Answered with `-32600` or `-32602`. */
  | { kind: 'invalid'; id: RequestId | null; code: -32600 | -32602; problem: string }
  /** A broken notification or response: it gets no answer. */
  | { kind: 'ignored'; problem: string };

export function openEnvelope(value: unknown): Envelope {
  if (!isRecord(value)) return invalid(null, 'a message is a JSON object');
  const id = isRequestId(value.id) ? value.id : null;
  if (value.jsonrpc !== '2.0') return invalid(id, 'jsonrpc must be "2.0"');
  if ('method' in value) return openCall(value, id);
  if ('result' in value || 'error' in value) return openResponse(value, id);
  return invalid(id, 'a message has a method, a result or an error');
}

function openCall(value: Record<string, unknown>, id: RequestId | null): Envelope {
  const { method, params } = value;
  const isNotification = !('id' in value);
  if (typeof method !== 'string') return invalid(id, 'method must be a string');
  if (!isNotification && id === null) return invalid(null, 'id must be a string or a whole number');
  const problem = params === undefined ? undefined : paramsProblem(params);
  if (problem !== undefined) {
    return isNotification ? { kind: 'ignored', problem } : { kind: 'invalid', id, code: -32602, problem };
  }
  const message = { jsonrpc: '2.0' as const, method, ...(isRecord(params) ? { params } : {}) };
  return id === null ? { kind: 'notification', message } : { kind: 'request', message: { ...message, id } };
}

function openResponse(value: Record<string, unknown>, id: RequestId | null): Envelope {
  const { result, error } = value;
  if (id === null) return { kind: 'ignored', problem: 'a response without a usable id' };
  if (isRecord(result) && (result._meta === undefined || isRecord(result._meta))) {
    return { kind: 'response', message: { jsonrpc: '2.0', id, result } };
  }
  if (isRecord(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string') {
    const { code, message, data } = error as { code: number; message: string; data?: unknown };
    return {
      kind: 'response',
      message: { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } },
    };
  }
  return { kind: 'ignored', problem: 'a response with neither a usable result nor an error' };
}

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** Checks what the SDK checks before it looks up the method: it drops a request that fails there, without an answer. */
function paramsProblem(params: unknown): string | undefined {
  if (!isRecord(params)) return 'params must be an object';
  const meta = params._meta;
  if (meta === undefined) return undefined;
  if (!isRecord(meta)) return 'params._meta must be an object';
  const { progressToken: token, [RELATED_TASK]: task } = meta;
  if (token !== undefined && !isRequestId(token)) {
    return 'params._meta.progressToken must be a string or a whole number';
  }
  if (task !== undefined && !(isRecord(task) && typeof task.taskId === 'string')) {
    return `params._meta["${RELATED_TASK}"] must be an object with a taskId`;
  }
  return undefined;
}

function invalid(id: RequestId | null, problem: string): Envelope {
  return { kind: 'invalid', id, code: -32600, problem };
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
