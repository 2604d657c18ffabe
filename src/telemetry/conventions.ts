/**
 * Names that dashboards rely on. Those of MCP and generative AI are OpenTelemetry's semantic conventions, which are
 * still in development.
 */
export const ATTRIBUTE = {
  method: 'mcp.method.name',
  protocolVersion: 'mcp.protocol.version',
  resource: 'mcp.resource.uri',
  requestId: 'jsonrpc.request.id',
  tool: 'gen_ai.tool.name',
  prompt: 'gen_ai.prompt.name',
  errorType: 'error.type',
  operation: 'switchboard.operation',
  door: 'switchboard.door',
  errorCode: 'switchboard.error.code',
  memoryType: 'switchboard.memory.type',
} as const;

export const METRIC = {
  mcpDuration: 'mcp.server.operation.duration',
  callDuration: 'switchboard.call.duration',
  sessions: 'switchboard.sessions.open',
  memory: 'switchboard.memory.usage',
  loopDelayMean: 'nodejs.eventloop.delay.mean',
  loopDelayP99: 'nodejs.eventloop.delay.p99',
  loopDelayMax: 'nodejs.eventloop.delay.max',
} as const;

/** `error.type` of a failed tool, whose JSON-RPC response is a success. */
export const TOOL_ERROR = 'tool_error';

/** Seconds, as the conventions advise for `mcp.server.operation.duration`. */
export const DURATION_BUCKETS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
