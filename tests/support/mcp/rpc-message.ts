import type { JsonObject } from '../../../src/domain/json.ts';

/** A JSON-RPC message as received, unchecked. */
export interface Message {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: JsonObject;
  result?: JsonObject;
  error?: { code: number; message: string; data?: JsonObject };
}

let lastId = 0;

export function request(method: string, params?: object, id: string | number = nextId()) {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

export function notification(method: string, params?: object) {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}

export function initializeParams(protocolVersion: string, capabilities: object = {}) {
  return { protocolVersion, capabilities, clientInfo: { name: 'a test', version: '1.0.0' } };
}

/** Parameters of a request without a session, as in 2026-07-28. */
export function stateless(params: object = {}, capabilities: object = {}) {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
    },
  };
}

/** The event in a notification. */
export function eventIn({ params }: Message): JsonObject {
  return ((params?._meta as JsonObject | undefined)?.['switchboard/event'] ?? {}) as JsonObject;
}

function nextId(): number {
  lastId += 1;
  return lastId;
}
