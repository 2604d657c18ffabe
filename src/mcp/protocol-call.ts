import type { ProtocolRequest } from '../domain/protocol-request.ts';
import { visible } from '../lib/visible.ts';
import type { Call } from '../operation.ts';
import type { Caller, RequestContext } from './registry.ts';

type Target = Pick<ProtocolRequest, 'tool' | 'prompt' | 'resource'>;

/** The call of the pipeline that a request makes. */
export function callOf({ mcpReq }: RequestContext, caller: Caller, target: Target = {}): Call {
  const { principal, origin, onDelivery, version, becameCall } = caller;
  becameCall?.(mcpReq.id);
  const { progressToken, traceparent, tracestate } = mcpReq._meta ?? {};
  const protocolVersion = version?.();
  return {
    principal,
    door: 'mcp',
    signal: mcpReq.signal,
    origin,
    session: caller.session?.(),
    onDelivery: onDelivery && ((settle) => onDelivery(mcpReq.id, settle)),
    request: {
      method: mcpReq.method,
      id: String(mcpReq.id),
      ...target,
      ...(protocolVersion === undefined ? {} : { protocolVersion }),
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      ...(typeof tracestate === 'string' ? { tracestate } : {}),
    },
    progress: progressToken === undefined ? undefined : progressTo(mcpReq, progressToken),
  };
}

function progressTo(mcpReq: RequestContext['mcpReq'], progressToken: string | number): Call['progress'] {
  return (progress, total, message) => {
    const params = {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message: visible(message) }),
    };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
