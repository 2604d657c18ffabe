import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { setFrequentTimeout } from '../lib/frequent-timeout.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import { isRecord } from '../lib/is-record.ts';
import { jsonLine } from '../lib/json-line.ts';
import { responseWritten } from '../lib/response-written.ts';
import type { Settle } from '../operation.ts';
import { isComplete } from './client-questions.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import { fitResult } from './content.ts';
import { requestError } from './errors.ts';
import { CALL_PARAMS, isPlain } from './hot-path.ts';
import { sendText } from './http-answers.ts';
import { accepts } from './http-session.ts';
import { requestLimitMs, tookTooLong } from './limits.ts';
import type { PlainTool, RequestContext } from './registry.ts';
import { clientIn } from './stateless-list.ts';
import { type Running, resultMeta, type StatelessRequest } from './stateless-request.ts';
import { STATELESS_VERSION } from './versions.ts';

/** A call that runs longer is answered as a stream, so that no proxy times out. */
const STREAM_AFTER_MS = 10_000;
/** A client that has left so much unread gets no more notifications before the answer. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** A call of a tool that needs nothing of the SDK. */
export interface StatelessCall {
  id: RequestId;
  tool: PlainTool;
  args: Record<string, unknown>;
  meta: Record<string, unknown>;
}

/** Undefined where the request is none, or needs the SDK. */
export function statelessCall(
  { id, method, params, meta }: StatelessRequest,
  { headers }: IncomingMessage,
  { registry, principal }: ClientAccess,
): StatelessCall | undefined {
  if (method !== 'tools/call') return undefined;
  for (const key in params) if (!CALL_PARAMS.has(key)) return undefined;
  const { name } = params;
  const args = params.arguments ?? {};
  if (typeof name !== 'string' || headers['mcp-name'] !== name || !isRecord(args)) return undefined;
  const tool = registry.tool(name, principal);
  if (!tool || !isPlain(tool) || tool.mayAsk || hasHeaderParameters(tool)) return undefined;
  return { id, tool, args, meta };
}

/** Such arguments are repeated in headers, which the SDK compares. */
const headerParameters = new WeakMap<object, boolean>();

function hasHeaderParameters({ definition: { inputSchema } }: PlainTool): boolean {
  const known = headerParameters.get(inputSchema) ?? JSON.stringify(inputSchema).includes('"x-mcp-header"');
  headerParameters.set(inputSchema, known);
  return known;
}

/** Runs a call and answers it: with JSON, or with a stream where something is sent before. */
export async function answerCall(
  parts: DoorParts,
  call: StatelessCall,
  { request, response, access }: Running,
  /** Aborted when the client has disconnected, or the time is over. */
  cancelled: AbortController,
): Promise<void> {
  const { id, tool, args, meta } = call;
  const waiting: Settle[] = [];
  const limitMs = requestLimitMs(parts.limits);
  const mayStream = accepts(request, 'text/event-stream');
  const late = setFrequentTimeout(() => mayStream && openStream(response), STREAM_AFTER_MS).unref();
  const timer = setFrequentTimeout(() => {
    const { code, message, data } = requestError(tookTooLong(limitMs), 'modern');
    write(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
    cancelled.abort();
  }, limitMs).unref();
  const context = {
    mcpReq: {
      id,
      method: 'tools/call',
      _meta: meta,
      envelope: meta,
      signal: cancelled.signal,
      async notify(notification: object) {
        if (!mayStream || response.destroyed || response.writableEnded) return;
        if (response.writableLength > MAX_UNREAD_BYTES) return;
        openStream(response);
        response.write(eventOf(JSON.stringify({ jsonrpc: '2.0', ...notification })));
      },
    },
  } as unknown as RequestContext;
  let json: string;
  try {
    const result = await tool.call(args, context, {
      principal: access.principal,
      era: 'modern',
      ...(access.origin ? { origin: access.origin } : {}),
      version: () => STATELESS_VERSION,
      clientName: () => clientIn(meta),
      waitsForUser: () => clearTimeout(timer),
      onDelivery: (_, settle) => void waiting.push(settle),
    });
    json = JSON.stringify({ result: finished(result, tool, parts), jsonrpc: '2.0', id });
  } catch (thrown) {
    const { code, message, data } = requestError(thrown, 'modern');
    json = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }
  clearTimeout(timer);
  clearTimeout(late);
  const isAnswered = !response.writableEnded && !response.destroyed;
  if (isAnswered) write(response, json);
  if (waiting.length === 0) return;
  const delivered = isAnswered && (await responseWritten(response));
  for (const settle of waiting) settle(delivered);
}

/** A result as 2026-07-28 has it. */
function finished(result: CallToolResult | InputRequiredResult, tool: PlainTool, { identity }: DoorParts): object {
  const _meta = resultMeta(identity, result._meta);
  if (!isComplete(result)) return { ...result, _meta };
  return { ...fitResult(result, STATELESS_VERSION, tool.isVerbatim), _meta, resultType: 'complete' };
}

function openStream(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
}

function write(response: ServerResponse, json: string): void {
  if (response.headersSent) response.end(eventOf(json));
  else sendText(response, 200, json);
}

function eventOf(json: string): string {
  return `event: message\ndata: ${jsonLine(json)}\n\n`;
}
