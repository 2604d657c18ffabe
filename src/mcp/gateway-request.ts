import type { GatewayRequest } from '../domain/gateway.ts';
import type { JsonObject } from '../domain/json.ts';
import { isRecord } from '../lib/is-record.ts';
import type { OperationContext } from '../operation.ts';
import { canElicit } from './client-questions.ts';
import { isAtLeast } from './log-levels.ts';
import type { Caller, RequestContext } from './registry.ts';

const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL_META = 'io.modelcontextprotocol/logLevel';

/** What the SDK adds to the context of a request of 2026-07-28. */
interface StatelessRequest {
  envelope?: Partial<Record<string, unknown>>;
  inputResponses?: Record<string, unknown>;
  requestState?(): unknown;
}

/** A client's request as the gateway gets it: how the client is reached depends on the era of its protocol. */
export function gatewayRequest({ mcpReq }: RequestContext, caller: Caller, context: OperationContext): GatewayRequest {
  const request: RequestContext['mcpReq'] & StatelessRequest = mcpReq;
  const { id, _meta: meta } = request;
  const { ask, era } = caller;
  const isStateless = era === 'modern';
  const capabilities = isStateless ? request.envelope?.[CAPABILITIES_META] : caller.clientCapabilities?.();
  const logLevel = isStateless ? textOf(request.envelope?.[LOG_LEVEL_META]) : caller.logLevel?.();
  const token = meta?.progressToken;
  const state = request.requestState?.();
  const notify = (method: string, params: JsonObject) =>
    void request.notify({ method, params } as Parameters<typeof request.notify>[0]).catch(() => {});
  const onLog = (params: JsonObject) => {
    const minimum = isStateless ? logLevel : caller.logLevel?.();
    if (minimum === undefined || isAtLeast(params.level, minimum)) notify('notifications/message', params);
  };
  return {
    caller: context,
    session: caller.connection,
    signal: context.signal,
    capabilities: isRecord(capabilities) ? (capabilities as JsonObject) : {},
    meta: meta as JsonObject | undefined,
    onProgress:
      token === undefined
        ? undefined
        : (params) => notify('notifications/progress', { ...params, progressToken: token }),
    logLevel,
    // Without a session, only clients that ask for log messages get them; in one, a client may change its mind meanwhile.
    onLog: isStateless && logLevel === undefined ? undefined : onLog,
    canAnswer: (method, params) => canAnswer(capabilities, method, params),
    ask: isStateless || !ask ? undefined : (method, params, signal) => ask(id, method, params, signal),
    repeated:
      isStateless && typeof state === 'string' && isRecord(request.inputResponses)
        ? { responses: request.inputResponses as JsonObject, state }
        : undefined,
  };
}

/** Whether a client with these capabilities can answer a request of a server. */
export function canAnswer(capabilities: unknown, method: string, params: JsonObject): boolean {
  const declared = isRecord(capabilities) ? capabilities : {};
  if (method === 'sampling/createMessage') {
    const { sampling } = declared;
    return isRecord(sampling) && (params.tools === undefined || isRecord(sampling.tools));
  }
  if (method === 'roots/list') return isRecord(declared.roots);
  if (method !== 'elicitation/create') return false;
  return params.mode === 'url'
    ? isRecord(declared.elicitation) && isRecord(declared.elicitation.url)
    : canElicit(declared);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
