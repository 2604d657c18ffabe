import type { ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '../domain/errors.ts';

const STATUS = {
  SOURCE_NOT_FOUND: 404,
  CHAT_NOT_FOUND: 404,
  CHAT_AMBIGUOUS: 409,
  SOURCE_NOT_CONNECTED: 409,
  STREAMING_NOT_SUPPORTED: 409,
  ACCOUNT_NOT_FOUND: 404,
  ACCOUNT_AMBIGUOUS: 409,
  MESSAGE_NOT_FOUND: 404,
  DRAFT_NOT_FOUND: 404,
  RECIPIENT_NOT_FOUND: 404,
  NO_AGENT_IDENTITY: 409,
  INVALID_PARAMETER: 400,
  VALIDATION_ERROR: 400,
  TOO_LARGE: 413,
  NOT_FOUND: 404,
  CONFLICT: 409,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  RATE_LIMITED: 429,
  BUSY: 429,
  TIMEOUT: 504,
  NETWORK_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL: 500,
} satisfies Record<ErrorCode, number>;

const RETRY_LATER: ReadonlySet<number> = new Set([429, 503]);

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
}

export function sendError(response: ServerResponse, error: AppError, headers: Record<string, string> = {}): void {
  const status = STATUS[error.code];
  sendJson(response, status, { error }, { ...(RETRY_LATER.has(status) ? { 'retry-after': '1' } : {}), ...headers });
}

/** 401 with a challenge that requests a token. It does not reveal which tokens exist. */
export function challenge(response: ServerResponse, reason: 'missing' | 'unknown'): void {
  const parameters = reason === 'missing' ? '' : ', error="invalid_token"';
  const message =
    reason === 'missing'
      ? 'Authentication required: send the header Authorization: Bearer <token>.'
      : 'Authentication required: unknown token.';
  sendError(response, new AppError('UNAUTHENTICATED', message), {
    'www-authenticate': `Bearer realm="switchboard"${parameters}`,
  });
}
