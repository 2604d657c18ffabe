/** The MCP request of a call, for traces. */
export interface ProtocolRequest {
  method: string;
  id: string;
  protocolVersion?: string;
  tool?: string;
  prompt?: string;
  resource?: string;
  /** W3C trace context, as the client sent it. */
  traceparent?: string;
  tracestate?: string;
}

/**
 * Called when a request begins; the returned function is called when it ends, without argument on success, else with
 * an error code.
 */
export type RequestObserver = (request: ProtocolRequest) => (failure?: string) => void;

/** Which trace something belongs to, as the log calls it. */
export interface TraceIds {
  trace_id: string;
  span_id: string;
}
