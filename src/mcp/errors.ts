import { type AppError, type ErrorCode, toAppError } from '../domain/errors.ts';
import { visibleDeep } from '../lib/visible.ts';
import { OLDEST_VERSION } from './versions.ts';

export type Era = 'legacy' | 'modern';

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
/** "Server error" of JSON-RPC; 2026-07-28 reserves the range, so it is used on older connections only. */
const SERVER = -32000;

/** The JSON-RPC code of a failed resource, prompt or protocol request. */
const JSON_RPC = {
  SOURCE_NOT_FOUND: INVALID_PARAMS,
  CHAT_NOT_FOUND: INVALID_PARAMS,
  CHAT_AMBIGUOUS: INVALID_PARAMS,
  SOURCE_NOT_CONNECTED: SERVER,
  STREAMING_NOT_SUPPORTED: INVALID_PARAMS,
  ACCOUNT_NOT_FOUND: INVALID_PARAMS,
  ACCOUNT_AMBIGUOUS: INVALID_PARAMS,
  MESSAGE_NOT_FOUND: INVALID_PARAMS,
  DRAFT_NOT_FOUND: INVALID_PARAMS,
  RECIPIENT_NOT_FOUND: INVALID_PARAMS,
  NO_AGENT_IDENTITY: SERVER,
  INVALID_PARAMETER: INVALID_PARAMS,
  VALIDATION_ERROR: INVALID_PARAMS,
  TOO_LARGE: INVALID_PARAMS,
  NOT_FOUND: INVALID_PARAMS,
  CONFLICT: SERVER,
  UNAUTHENTICATED: SERVER,
  FORBIDDEN: SERVER,
  RATE_LIMITED: SERVER,
  BUSY: SERVER,
  TIMEOUT: SERVER,
  NETWORK_ERROR: SERVER,
  SERVICE_UNAVAILABLE: SERVER,
  INTERNAL,
} satisfies Record<ErrorCode, number>;

export interface WireError {
  code: number;
  message: string;
  data?: Record<string, unknown>;
}

export function wireError(error: AppError, era: Era): WireError {
  const code = JSON_RPC[error.code];
  const { message, ...details } = error.toJSON();
  return { code: era === 'modern' && code === SERVER ? INTERNAL : code, message, data: details };
}

/** A failed request, thrown by its handler. The SDK reads `code` and `data` of any error. */
export class RequestError extends Error {
  readonly code: number;
  readonly data: Record<string, unknown> | undefined;

  /** Names in it may be of others. */
  constructor(error: WireError) {
    const { code, message, data } = visibleDeep(error);
    super(message);
    this.name = 'RequestError';
    this.code = code;
    this.data = data;
  }
}

export function requestError(thrown: unknown, era: Era): RequestError {
  return thrown instanceof RequestError ? thrown : new RequestError(wireError(toAppError(thrown), era));
}

/** Codes of the oldest version, and of the other versions with sessions: their SDKs read -32001 as a timeout. */
const MISSING = {
  tool: { oldest: -32001, session: INVALID_PARAMS, reason: 'tool_not_found' },
  resource: { oldest: -32002, session: -32002, reason: 'resource_not_found' },
  prompt: { oldest: -32003, session: INVALID_PARAMS, reason: 'prompt_not_found' },
} as const;

/** Something that does not exist, with the code of the client's protocol version. */
export function notFound(
  kind: keyof typeof MISSING,
  name: string,
  { era, version }: { era: Era; version?(): string | undefined },
): RequestError {
  const { oldest, session, reason } = MISSING[kind];
  const data = { code: 'NOT_FOUND', reason, [kind === 'resource' ? 'uri' : 'name']: name };
  const noun = kind[0]?.toUpperCase() + kind.slice(1);
  const inSession = version?.() === OLDEST_VERSION ? oldest : session;
  const code = era === 'legacy' ? inSession : INVALID_PARAMS;
  return new RequestError({ code, message: `${noun} not found: ${name}`, data });
}

/** The SDK replaces `-32002`, so a missing resource gets its code back before it is sent. */
export function restoreResourceCode(error: { code: number; data?: unknown }): void {
  const reason = (error.data as { reason?: string } | undefined)?.reason;
  if (reason === MISSING.resource.reason) error.code = MISSING.resource.session;
}

/** Replaces the messages of the SDK's schema library. */
export function replaceSchemaMessages(error: { code: number; message: string; data?: unknown }): void {
  const { key, problem } =
    (error.data as { envelope?: { key?: string; problem?: string } } | undefined)?.envelope ?? {};
  if (key !== undefined) {
    error.message = `Invalid params: _meta[${JSON.stringify(key)}] ${problem === 'missing' ? 'is required' : 'is not what the protocol asks for'}.`;
    error.data = { code: 'VALIDATION_ERROR', field: `_meta.${key}` };
  } else if (LISTED_PROBLEMS.test(error.message)) {
    error.code = INVALID_PARAMS;
    error.message = 'Invalid params: they are not those of this method.';
  }
}

/** The schema library's list of issues, as JSON. */
const LISTED_PROBLEMS = /^(?:Invalid .+ request: )?\[\s*\{/;
