import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
} from '@modelcontextprotocol/server';
import { type Capability, mayUse } from '../capability.ts';
import { AppError, toAppError } from '../domain/errors.ts';
import type { Gateway, GatewayEntry } from '../domain/gateway.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Principal } from '../domain/principal.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Access, Pipeline } from '../operation.ts';
import { gatewayRequest } from './gateway-request.ts';
import { failedResult } from './offered-tools.ts';
import { splitResume } from './patterns.ts';
import { callOf } from './protocol-call.ts';
import type {
  Caller,
  Completion,
  CompletionTarget,
  PlainTool,
  PromptEntry,
  RequestContext,
  Subscription,
} from './registry.ts';

/** What other servers do is outside of this program. */
export const GATEWAY_ACCESS: Access = { right: 'send' };

/** What the gateway of a capability offers, as entries of a registry. */
export function offeredGateway(capability: Capability & { gateway: Gateway }, readOnly: boolean, pipeline: Pipeline) {
  const { gateway } = capability;
  const tools = new WeakMap<GatewayEntry, PlainTool>();
  const isFor = (principal: Principal) => mayUse(capability, GATEWAY_ACCESS, principal);
  const isOffered = (entry: GatewayEntry) => !readOnly || entry.isReadOnly;

  function toolOf(entry: GatewayEntry): PlainTool {
    const known = tools.get(entry);
    if (known) return known;
    const made = makeTool(entry);
    tools.set(entry, made);
    return made;
  }

  /** For a tool that is called by way of another one. */
  function offeredTool(entry: GatewayEntry): PlainTool {
    if (isOffered(entry)) return toolOf(entry);
    throw new AppError('FORBIDDEN', 'This endpoint offers only tools that change nothing.', { field: 'name' });
  }

  function makeTool(entry: GatewayEntry): PlainTool {
    const { definition, server, isReadOnly, isTrusted } = entry;
    const { name } = definition;
    const relayed = {
      name,
      access: GATEWAY_ACCESS,
      effect: isReadOnly ? 'reads' : 'sends',
      named: { server, tool: name },
    } as const;
    return {
      definition: definition as unknown as PlainTool['definition'],
      isVerbatim: isTrusted,
      async call(args, context, caller) {
        try {
          const target = entry.target?.(args as JsonObject);
          if (target) return await offeredTool(target.entry).call(target.args, context, caller);
          caller.waitsForUser?.(context.mcpReq.id);
          const result = await pipeline.relay(capability, relayed, callOf(context, caller, { tool: name }), (inner) =>
            gateway.callTool(entry, args as JsonObject, gatewayRequest(context, caller, inner)),
          );
          return result as unknown as CallToolResult | InputRequiredResult;
        } catch (thrown) {
          return failedResult(toAppError(thrown));
        }
      },
    };
  }

  function promptOf(entry: GatewayEntry): PromptEntry {
    const { definition, server } = entry;
    const { name } = definition;
    return {
      definition: definition as unknown as PromptEntry['definition'],
      async get(args, context, caller) {
        const result = await relayRead(`prompt ${name}`, { server, name }, context, caller, (request) =>
          gateway.getPrompt(entry, args, request),
        );
        return result as unknown as GetPromptResult | InputRequiredResult;
      },
    };
  }

  function relayRead<T>(
    name: string,
    named: Record<string, string>,
    context: RequestContext,
    caller: Caller,
    run: (request: ReturnType<typeof gatewayRequest>) => Promise<T>,
  ): Promise<T> {
    caller.waitsForUser?.(context.mcpReq.id);
    return pipeline.relay(
      capability,
      { name, access: GATEWAY_ACCESS, effect: 'reads', named },
      callOf(context, caller),
      (inner) => run(gatewayRequest(context, caller, inner)),
    );
  }

  return {
    tools: (principal: Principal, client?: string): readonly PlainTool[] =>
      isFor(principal) ? gateway.tools(principal, client).filter(isOffered).map(toolOf) : [],
    tool(name: string, principal: Principal): PlainTool | undefined {
      const entry = isFor(principal) ? gateway.tool(name, principal) : undefined;
      return entry && isOffered(entry) ? toolOf(entry) : undefined;
    },
    prompts: (principal: Principal): readonly PromptEntry[] =>
      isFor(principal) ? gateway.prompts(principal).map(promptOf) : [],
    prompt(name: string, principal: Principal): PromptEntry | undefined {
      const entry = isFor(principal) ? gateway.prompt(name, principal) : undefined;
      return entry && promptOf(entry);
    },
    resources: (principal: Principal) =>
      (isFor(principal) ? gateway.resources(principal) : []) as unknown as readonly Resource[],
    templates: (principal: Principal) =>
      (isFor(principal) ? gateway.templates(principal) : []) as unknown as readonly ResourceTemplateType[],
    async read(
      uri: string,
      context: ServerContext,
      caller: Caller,
    ): Promise<ReadResourceResult | InputRequiredResult | undefined> {
      if (!isFor(caller.principal) || !gateway.hasResource(uri, caller.principal)) return undefined;
      const result = await relayRead('resource', { uri }, context, caller, (request) =>
        gateway.readResource(uri, request),
      );
      return result as unknown as ReadResourceResult | InputRequiredResult;
    },
    async complete(
      target: CompletionTarget,
      { name, value, chosen }: { name: string; value: string; chosen: Readonly<Record<string, string>> },
      context: ServerContext,
      caller: Caller,
    ): Promise<Completion | undefined> {
      if (!isFor(caller.principal)) return undefined;
      const params = { argument: { name, value }, context: { arguments: { ...chosen } } };
      const result = await relayRead('completion', {}, context, caller, (request) =>
        gateway.complete(target, params, request),
      );
      return result && completionIn(result.completion);
    },
    /** Undefined where no server has the resource. */
    async follow(uri: string, principal: Principal): Promise<Subscription | undefined> {
      const { pattern, after } = splitResume(uri);
      if (!isFor(principal) || !gateway.hasResource(pattern, principal)) return undefined;
      const release = await gateway.subscribe(pattern, principal);
      return { pattern, follows: [pattern], release, ...(after === undefined ? {} : { after }) };
    },
    rootsChanged: gateway.rootsChanged,
    onListChanged: gateway.onListChanged,
  };
}

function completionIn(completion: unknown): Completion {
  const { values, total, hasMore } = isRecord(completion) ? completion : {};
  return {
    values: Array.isArray(values) ? values.filter((one) => typeof one === 'string') : [],
    ...(Number.isSafeInteger(total) ? { total: total as number } : {}),
    hasMore: hasMore === true,
  };
}

export type OfferedGateway = ReturnType<typeof offeredGateway>;
