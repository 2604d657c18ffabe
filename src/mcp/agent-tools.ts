import { type Capability, mayUse } from '../capability.ts';
import type { AgentCaller, AgentTool, AgentToolResult, AgentTools } from '../domain/agent-tool.ts';
import { AppError, toAppError } from '../domain/errors.ts';
import type { Gateway, GatewayEntry, GatewayRequest } from '../domain/gateway.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Principal } from '../domain/principal.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Log } from '../lib/log.ts';
import { visibleText } from '../lib/visible.ts';
import type { Call, Operation, OperationContext, Pipeline } from '../operation.ts';
import { GATEWAY_ACCESS } from './offered-gateway.ts';
import { failedResult, isToolFor, textsOf, toolDefinition } from './offered-tools.ts';
import { sortedBy } from './sorted-by.ts';

interface AgentToolParts {
  capabilities(): readonly Capability[];
  pipeline: Pipeline;
  log: Log;
}

/** The tools of the combined endpoint for a model that runs inside this program. Its calls pass the same pipeline as any other. */
export function createAgentTools({ capabilities, pipeline, log }: AgentToolParts): AgentTools {
  const known = new WeakMap<Operation, AgentTool>();

  function toolOf(capability: Capability, operation: Operation): AgentTool {
    const made = known.get(operation) ?? makeTool(capability, operation);
    known.set(operation, made);
    return made;
  }

  function makeTool(capability: Capability, operation: Operation): AgentTool {
    const { name, description, inputSchema } = toolDefinition(operation, true);
    return {
      name,
      description,
      inputSchema: inputSchema as JsonObject,
      capability: capability.name,
      effectOf: () => operation.effect,
      call: (input, caller) =>
        asResult(async () => {
          const output = await pipeline.call(capability, operation, input, callOf(caller));
          return { isError: false, texts: textsOf(operation, output, log) };
        }),
    };
  }

  function relayedTool(capability: Capability & { gateway: Gateway }, entry: GatewayEntry): AgentTool {
    const { gateway } = capability;
    const { name, description, inputSchema } = entry.definition;
    const targetOf = (input: JsonObject) => entry.target?.(input) ?? { entry, args: input };
    return {
      name,
      description: typeof description === 'string' ? visibleText(description) : '',
      inputSchema: isRecord(inputSchema) ? (inputSchema as JsonObject) : { type: 'object' },
      capability: capability.name,
      effectOf: (input) => effectOf(targetOf, input),
      call: (input, caller) =>
        asResult(async () => {
          const { entry: target, args } = targetOf(input);
          const relayed = {
            name: target.definition.name,
            access: GATEWAY_ACCESS,
            effect: target.isReadOnly ? 'reads' : 'sends',
            named: { server: target.server, tool: target.definition.name },
          } as const;
          const result = await pipeline.relay(capability, relayed, callOf(caller), (inner) =>
            gateway.callTool(target, args, requestOf(inner)),
          );
          return { isError: result.isError === true, texts: textsIn(result) };
        }),
    };
  }

  function toolsOf(capability: Capability, principal: Principal): readonly AgentTool[] {
    const own = capability.operations
      .filter((operation) => operation.mcp && isToolFor(capability, operation, principal))
      .map((operation) => toolOf(capability, operation));
    if (!hasGateway(capability) || !mayUse(capability, GATEWAY_ACCESS, principal)) return own;
    return [...own, ...capability.gateway.tools(principal).map((entry) => relayedTool(capability, entry))];
  }

  return {
    capabilities: () => capabilities().map(({ name }) => name),
    list: (principal) =>
      sortedBy(
        capabilities().flatMap((capability) => toolsOf(capability, principal)),
        ({ name }) => name,
      ),
  };
}

function hasGateway(capability: Capability): capability is Capability & { gateway: Gateway } {
  return capability.gateway !== undefined;
}

function callOf({ principal, session, signal }: AgentCaller): Call {
  return { principal, session, signal, door: 'claude' };
}

/** A call that cannot be understood is refused later; until then it is taken for one that sends. */
function effectOf(targetOf: (input: JsonObject) => { entry: GatewayEntry }, input: JsonObject): 'reads' | 'sends' {
  try {
    const { entry } = targetOf(input);
    return entry.isReadOnly || entry.answer ? 'reads' : 'sends';
  } catch {
    return 'sends';
  }
}

async function asResult(run: () => Promise<AgentToolResult>): Promise<AgentToolResult> {
  try {
    const { isError, texts } = await run();
    return { isError, texts: texts.map(visibleText) };
  } catch (thrown) {
    return { isError: true, texts: failedResult(toAppError(thrown)).content.map(({ text }) => text) };
  }
}

/** A server's question has no one to answer it here. */
function requestOf(context: OperationContext): GatewayRequest {
  return {
    caller: context,
    signal: context.signal,
    capabilities: {},
    canAnswer: () => false,
    ask: () => Promise.reject(new AppError('CONFLICT', 'Nobody can be asked in this conversation.')),
  };
}

function textsIn({ content, structuredContent }: JsonObject): string[] {
  const texts = (Array.isArray(content) ? content : []).map((block) => (isRecord(block) ? textOf(block) : ''));
  const shown = texts.filter((text) => text !== '');
  return shown.length > 0 || structuredContent === undefined ? shown : [JSON.stringify(structuredContent)];
}

function textOf({ type, text, name, uri, mimeType, resource }: Record<string, unknown>): string {
  if (type === 'text') return String(text);
  if (type === 'resource_link') return `${String(name)}: ${String(uri)}`;
  if (type !== 'resource' || !isRecord(resource)) return `[${String(type)}, ${String(mimeType)}: not passed on]`;
  return typeof resource.text === 'string' ? resource.text : `[${String(resource.uri)}: not passed on]`;
}
