import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { responseWritten } from '../lib/response-written.ts';
import type { Operation, Pipeline } from '../operation.ts';
import { answer } from './answers.ts';

interface Route {
  capability: Capability;
  operation: Operation;
  method: string;
  segments: readonly string[];
}

/** REST as the operations define it: a route each, nothing written by hand. */
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
    const asked = readingMethod(request);
    const here = routes.filter((route) => fits(route.segments, segments));
    // A fixed segment says more than a variable one: `/servers/search` before `/servers/:id`.
    const [route] = here.filter(({ method }) => method === asked).sort((a, b) => variables(a) - variables(b));
    if (!route) {
      if (here.length === 0) throw new AppError('NOT_FOUND', 'There is no such address here.');
      return answer(
        response,
        405,
        { error: new AppError('NOT_FOUND', 'This address does not take this method.') },
        { allow: here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ') },
      );
    }
    const body = asked === 'GET' ? undefined : await readBody(request, maxBodyBytes());
    const input = {
      ...fromQuery(url.searchParams, route.operation.input),
      ...(body ? fromBody(body, route.operation.rest?.body) : {}),
      ...fromPath(route.segments, segments),
    };
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const output = await pipeline.call(route.capability, route.operation, input, {
      principal,
      door: 'rest',
      signal: gone.signal,
      ...(body ? { posted: { body, header: (name) => request.headers[name]?.toString() } } : {}),
      onDelivery: (settle) => void responseWritten(response).then(settle),
    });
    answer(response, 200, output);
  };
}

/** Who asks for the head of something gets what GET gives, without its body, which Node leaves out. */
export function readingMethod({ method }: IncomingMessage): string | undefined {
  return method === 'HEAD' ? 'GET' : method;
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((segment, index) => (segment.startsWith(':') ? path[index] !== '' : segment === path[index]))
  );
}

function variables({ segments }: Route): number {
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
    throw new AppError('VALIDATION_ERROR', 'The address has a broken percent-encoding.');
  }
}

function fromQuery(query: URLSearchParams, { shape }: z.ZodObject): Record<string, unknown> {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const texts = query.getAll(name);
      return [name, Object.hasOwn(shape, name) ? fitting(texts, shape[name]) : texts.at(-1)];
    }),
  );
}

/** Query values are text; where the operation wants something else they are read as JSON or, all together, as a list. */
function fitting(texts: readonly string[], field: z.ZodType): unknown {
  const text = texts.at(-1) ?? '';
  const asText = field.safeParse(text);
  if (asText.success) return text;
  const fits = [asJson(text), texts, texts.map(asJson)].find((value) => field.safeParse(value).success);
  // Nothing fits: the operation complains, and should complain of what was meant.
  return fits ?? (asText.error.issues[0]?.code === 'invalid_type' ? asJson(text) : text);
}

function asJson(text: string): unknown {
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

/** An object with the fields; or, where the operation takes a list as the body, the list or one of its items. */
function fromBody(body: Buffer, list: string | undefined): Record<string, unknown> {
  // The list is in the body or nowhere: what a sender signed is the body.
  if (body.length === 0) return list === undefined ? {} : { [list]: [] };
  const value = asJson(textOf(body));
  if (list !== undefined && typeof value === 'object' && value !== null) {
    return { [list]: Array.isArray(value) ? value : [value] };
  }
  if (list !== undefined) throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object or a list of them.');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.');
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new AppError('VALIDATION_ERROR', 'The body is not UTF-8 text.');
  }
}
