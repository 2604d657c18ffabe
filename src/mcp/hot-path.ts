import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import type { RequestId } from '../lib/id-scanner.ts';
import type { Log } from '../lib/log.ts';
import { canElicit, isComplete } from './client-questions.ts';
import { fitResult } from './content.ts';
import type { RequestMessage } from './envelope.ts';
import { notFound, requestError } from './errors.ts';
import { type Identity, SERVER_CAPABILITIES } from './identity.ts';
import { type ListParts, listMethods } from './lists.ts';
import { type Params, recordOf, textOf } from './params.ts';
import type { Caller, PlainTool, RequestContext, ToolEntry } from './registry.ts';

export interface HotPathParts extends ListParts {
  identity: Identity;
  /** The owner of the session; `version` is the session's protocol version. */
  caller: Caller;
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  log: Log;
}

/** Answers one request; calls `context` only if it needs one. */
type Answer = (context: () => RequestContext) => object | Promise<object>;

/**
 * Answers the requests that every session makes without the SDK, which is then loaded only if a client requests more.
 * It also saves the SDK's schema checks on each call of a tool. A test compares the answers with the SDK's.
 */
export function createHotPath(parts: HotPathParts) {
  const { identity, registry, caller, send, log } = parts;
  const lists = listMethods(parts);
  const running = new Map<RequestId, AbortController>();

  /** How this request is answered; undefined where the SDK has to answer it. */
  function answerTo({ method, params = {} }: RequestMessage): Answer | undefined {
    if (method === 'tools/call') return callOf(params);
    if (method === 'initialize') return introduction;
    if (method === 'ping') return () => ({});
    const list = lists.get(method);
    if (!list || (method === 'tools/list' && !registry.tools(caller.principal, caller.clientName?.()).every(isPlain)))
      return undefined;
    return () => list(params, caller);
  }

  function introduction(): object {
    const { name, version } = identity;
    const instructions = registry.instructions?.(caller.principal, caller.origin) ?? identity.instructions;
    return {
      protocolVersion: caller.version?.(),
      capabilities: SERVER_CAPABILITIES,
      serverInfo: { name, version },
      ...(instructions === undefined || instructions === '' ? {} : { instructions }),
    };
  }

  function callOf(params: Params): Answer | undefined {
    for (const key in params) if (!CALL_PARAMS.has(key)) return undefined;
    const name = textOf(params, 'name');
    const tool = registry.tool(name, caller.principal);
    if (!tool) {
      return () => {
        throw notFound('tool', name, caller);
      };
    }
    if (!isPlain(tool) || (tool.mayAsk && canElicit(caller.clientCapabilities?.()))) return undefined;
    return async (context) => {
      const result = await tool.call(recordOf(params, 'arguments'), context(), caller);
      if (!isComplete(result)) throw new Error('a tool asks a client that cannot ask its user');
      return fitResult(result, caller.version?.(), tool.isVerbatim);
    };
  }

  function contextOf({ id, method, params }: RequestMessage, signal: AbortSignal): RequestContext {
    const meta = params?._meta as RequestContext['mcpReq']['_meta'];
    return {
      mcpReq: {
        id,
        method,
        ...(meta === undefined ? {} : { _meta: meta }),
        signal,
        notify: (notification) => send({ jsonrpc: '2.0', ...notification }, { relatedRequestId: id }),
      },
    };
  }

  async function run(request: RequestMessage, answer: Answer): Promise<void> {
    const { id } = request;
    const cancelled = new AbortController();
    running.set(id, cancelled);
    let message: JSONRPCMessage;
    try {
      const result = await answer(() => contextOf(request, cancelled.signal));
      // The id is last: the shim reads only the end of a long line.
      message = { result: result as Record<string, unknown>, jsonrpc: '2.0', id };
    } catch (thrown) {
      const { code, message: text, data } = requestError(thrown, caller.era);
      message = { jsonrpc: '2.0', id, error: { code, message: text, ...(data === undefined ? {} : { data }) } };
    }
    if (running.get(id) === cancelled) running.delete(id);
    if (!cancelled.signal.aborted) await send(message);
  }

  return {
    /** Whether this request is answered here. */
    take(request: RequestMessage): boolean {
      const answer = answerTo(request);
      if (answer) run(request, answer).catch((err) => log.debug({ err }, 'an answer could not be sent'));
      return answer !== undefined;
    },
    /** Cancels a request, which then gets no answer. False where it is not running here. */
    cancel(id: RequestId, reason?: unknown): boolean {
      const request = running.get(id);
      request?.abort(reason);
      return running.delete(id);
    },
    close(): void {
      for (const request of running.values()) request.abort();
      running.clear();
    },
  };
}

/** Other parameters have a meaning to the SDK. */
export const CALL_PARAMS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

/** Results that are no objects are wrapped by the SDK for sessions, and so are their schemas. */
export function isPlain(tool: ToolEntry): tool is PlainTool {
  const { outputSchema } = tool.definition;
  return !tool.interactive && (outputSchema === undefined || outputSchema.type === 'object');
}
