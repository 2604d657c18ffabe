import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import { isUsersToken, type Principal } from '../domain/principal.ts';
import { isRecord } from '../lib/is-record.ts';
import { isJsonMediaType } from '../lib/json-media-type.ts';
import { responseWritten } from '../lib/response-written.ts';
import type { Operation, Pipeline } from '../operation.ts';
import { sendJson } from './responses.ts';

interface Route {
  capability: Capability;
  operation: Operation;
  method: string;
  segments: readonly string[];
}

/** REST routes derived from the operations. */
export function createRest(capabilities: readonly Capability[], pipeline: Pipeline, maxBodyBytes: () => number) {
  const routes: Route[] = capabilities.flatMap((capability) =>
    capability.operations.flatMap((operation) =>
      operation.rest
        ? [{ capability, operation, method: operation.rest.method, segments: operation.rest.path.split('/').slice(1) }]
        : [],
    ),
  );

  return async (request: IncomingMessage, response: ServerResponse, url: URL, path: string, principal: Principal) => {
    const segments = path.split('/').slice(1);
    const wantedMethod = routingMethod(request);
    const candidates = routes.filter((route) => matches(route.segments, segments));
    // A fixed segment takes precedence over a variable one: `/servers/search` before `/servers/:id`.
    const [route] = candidates
      .filter(({ method }) => method === wantedMethod)
      .sort((a, b) => countVariables(a) - countVariables(b));
    if (!route) {
      if (candidates.length === 0) throw new AppError('NOT_FOUND', 'Not found.');
      return sendJson(
        response,
        405,
        { error: new AppError('NOT_FOUND', 'Method not allowed.') },
        { allow: candidates.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ') },
      );
    }
    if (!declaresJson(request)) return refuseMediaType(response);
    const body = wantedMethod === 'GET' ? undefined : await readBody(request, maxBodyBytes());
    const input = {
      ...fromQuery(url.searchParams, route.operation.input),
      ...(body ? fromBody(body, route.operation.rest?.body) : {}),
      ...fromPath(route.segments, segments),
    };
    const aborted = new AbortController();
    response.once('close', () => aborted.abort());
    const output = await pipeline.call(route.capability, route.operation, input, {
      principal,
      door: 'rest',
      isPerson: async () => isUsersToken(principal),
      signal: aborted.signal,
      ...(body ? { posted: { body, header: (name) => request.headers[name]?.toString() } } : {}),
      onDelivery: (settle) => void responseWritten(response).then(settle),
    });
    sendJson(response, 200, output);
  };
}

/** HEAD is routed like GET; Node leaves out the body. */
export function routingMethod({ method }: IncomingMessage): string | undefined {
  return method === 'HEAD' ? 'GET' : method;
}

/**
 * A page of any origin can post text and forms, so that what changes something must be declared as JSON. A form declares
 * its type even if it is empty; a request that has neither a body nor a type is no form.
 */
function declaresJson(request: IncomingMessage): boolean {
  const type = request.headers['content-type'] ?? '';
  if (routingMethod(request) === 'GET' || (type === '' && !hasBody(request))) return true;
  return isJsonMediaType(type);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function refuseMediaType(response: ServerResponse): void {
  const error = new AppError('VALIDATION_ERROR', 'A request that changes something must be JSON.', {
    field: 'content-type',
    hint: 'Send the header Content-Type: application/json.',
  });
  sendJson(response, 415, { error }, { accept: 'application/json' });
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((segment, index) => (segment.startsWith(':') ? path[index] !== '' : segment === path[index]))
  );
}

function countVariables({ segments }: Route): number {
  return segments.filter((segment) => segment.startsWith(':')).length;
}

function fromPath(pattern: readonly string[], path: readonly string[]): Record<string, string> {
  const pairs = pattern.flatMap((segment, index) =>
    segment.startsWith(':') ? [[segment.slice(1), decode(path[index] ?? '')] as const] : [],
  );
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError('VALIDATION_ERROR', 'The URL has an invalid percent-encoding.');
  }
}

function fromQuery(query: URLSearchParams, { shape }: z.ZodObject): Record<string, unknown> {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const texts = query.getAll(name);
      return [name, Object.hasOwn(shape, name) ? parseQueryValue(texts, shape[name]) : texts.at(-1)];
    }),
  );
}

/** Query values are text. If the schema expects another type they are parsed as JSON or, if repeated, as a list. */
function parseQueryValue(texts: readonly string[], field: z.ZodType): unknown {
  const text = texts.at(-1) ?? '';
  const asText = field.safeParse(text);
  if (asText.success) return text;
  const value = [parseJsonOrText(text), texts, texts.map(parseJsonOrText)].find(
    (each) => field.safeParse(each).success,
  );
  // No form is valid: returns the one with the most useful validation error.
  return value ?? (asText.error.issues[0]?.code === 'invalid_type' ? parseJsonOrText(text) : text);
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= maxBytes) chunks.push(chunk as Buffer);
  }
  if (size > maxBytes) throw new AppError('TOO_LARGE', `A request may have at most ${maxBytes} bytes.`);
  return Buffer.concat(chunks);
}

/** An object with the fields. If the operation takes a list as the body: the list or one of its items. */
function fromBody(body: Buffer, list: string | undefined): Record<string, unknown> {
  // The list must be in the body, because a signature covers the body only.
  if (body.length === 0) return list === undefined ? {} : { [list]: [] };
  const value = parseJsonOrText(textOf(body));
  if (list !== undefined && typeof value === 'object' && value !== null) {
    return { [list]: Array.isArray(value) ? value : [value] };
  }
  if (list !== undefined) throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object or a list of them.');
  if (isRecord(value)) return value;
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.');
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new AppError('VALIDATION_ERROR', 'The body is not UTF-8 text.');
  }
}
