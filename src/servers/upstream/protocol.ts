import type { Json, JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';

/** Versions with sessions, newest first. */
export const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const STATELESS_VERSION = '2026-07-28';

/** Keys of `_meta` in the version without sessions. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** What a client can be asked; its other capabilities are for its own connection. */
export function relayedCapabilities({ elicitation, sampling, roots }: JsonObject): JsonObject {
  const known = { elicitation, sampling, roots };
  return Object.fromEntries(Object.entries(known).flatMap(([name, value]) => (isRecord(value) ? [[name, value]] : [])));
}

/** Methods by which a server asks its client. */
const QUESTIONS = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

export function isQuestion(method: string): boolean {
  return QUESTIONS.has(method);
}

/** A larger message of a server is skipped unless its configuration says otherwise. */
export const DEFAULT_MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** One line of what a server sent beside the protocol. */
const MAX_NOISE_LENGTH = 500;

export function asNoise(text: string): string {
  return text.length > MAX_NOISE_LENGTH ? `${text.slice(0, MAX_NOISE_LENGTH)}…` : text;
}

/** Batches exist in 2025-03-26; a longer one is an attack. */
const MAX_BATCH = 1_000;

const NONE: readonly JsonObject[] = [];

/** The messages in what was parsed; none if that is not of the protocol. */
export function messagesIn(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return isMessage(value) ? [value] : NONE;
  return value.length <= MAX_BATCH && value.every(isMessage) ? value : NONE;
}

/** Servers of all ages write `jsonrpc`; a log line in JSON does not. */
export function isMessage(value: unknown): value is JsonObject {
  return isRecord(value) && value.jsonrpc === '2.0';
}

export function asObject(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {};
}
