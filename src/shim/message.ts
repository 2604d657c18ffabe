import { isRecord } from '../lib/is-record.ts';
export type RequestId = string | number;

/** A JSON-RPC message as far as a shim reads it; nothing in it has been checked. */
export interface Message {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One message, or those of a batch. */
export function messagesIn(value: unknown): readonly Message[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

export function paramsOf({ params }: Message): Record<string, unknown> {
  return isRecord(params) ? params : {};
}

export function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

/** The protocol version that a stateless request states. */
export function claimedVersion(message: Message): string | undefined {
  const meta = paramsOf(message)._meta;
  const version = isRecord(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}
