/** The request of MCP that a call came in, for traces. */
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

/** Told when a request begins; what it gives back is told how it ended: with nothing when well, else with an error code. */
export type RequestObserver = (request: ProtocolRequest) => (failure?: string) => void;

/** Which trace something belongs to, as the log calls it. */
export interface TraceIds {
  trace_id: string;
  span_id: string;
}
