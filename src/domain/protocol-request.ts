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
