import { type Capability, mayUse } from '../capability.ts';
import { AskClient } from '../domain/client-question.ts';
import { type AppError, toAppError } from '../domain/errors.ts';
import type { Audience, Introduction, ToolNamed } from '../domain/guide.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../lib/log.ts';
import { accessOf, nameOf, type Operation, type Pipeline } from '../operation.ts';
import { formFor, type ResultForm } from './client-forms.ts';
import { askingClient, toInputRequired } from './client-questions.ts';
import { requestError } from './errors.ts';
import { describedWith } from './instructions.ts';
import { schemasOf } from './operation-schema.ts';
import { withoutNulls } from './params.ts';
import { callOf } from './protocol-call.ts';
import type { PlainTool } from './registry.ts';
import { sortedBy } from './sorted-by.ts';

interface ToolParts {
  pipeline: Pipeline;
  log: Log;
}

/** The operations of these capabilities as tools. */
export function offeredTools(served: readonly Capability[], readOnly: boolean, parts: ToolParts) {
  const combined = served.length > 1;
  const tools = served.flatMap((capability) =>
    capability.operations
      .filter(({ mcp, effect }) => mcp && !(readOnly && effect !== 'reads'))
      .filter(({ mcp }) => combined || !mcp?.combinedOnly)
      .map((operation) => ({
        capability,
        own: operation.mcp?.name ?? '',
        isFor: (principal: Principal) => isToolFor(capability, operation, principal),
        tool: toolOf(capability, operation, combined, parts),
        aliases: operation.mcp?.aliases ?? [],
      })),
  );
  const sorted = sortedBy(tools, ({ tool }) => tool.definition.name);
  const named = (name: string) =>
    sorted.find(({ tool }) => tool.definition.name === name) ?? sorted.find(({ aliases }) => aliases.includes(name));
  /** An endpoint of one capability lists all of its tools, as its specification does. */
  const listed = (audience: Audience) =>
    sorted.filter(
      ({ isFor, capability: { guide }, own }) =>
        isFor(audience.principal) && (!combined || (guide?.canWork?.(own, audience) ?? true)),
    );
  return {
    tools: (principal: Principal, origin?: Origin): PlainTool[] => {
      const audience = { principal, origin };
      return listed(audience).map(({ tool, capability: { guide }, own }) =>
        describedTool(tool, guide?.describe?.(own, audience)),
      );
    },
    /** The names of a capability's tools on this endpoint, as far as they are listed. */
    namedFor(capability: Capability, audience: Audience): ToolNamed {
      const names = new Map(
        listed(audience)
          .filter((each) => each.capability === capability)
          .map(({ own, tool }) => [own, tool.definition.name]),
      );
      return (own) => names.get(own);
    },
    tool(name: string, principal: Principal): PlainTool | undefined {
      const found = named(name);
      return found?.isFor(principal) ? found.tool : undefined;
    },
  };
}

function describedTool(tool: PlainTool, connected: Introduction | undefined): PlainTool {
  if (!connected) return tool;
  const { definition } = tool;
  const description = describedWith(definition.description ?? '', connected);
  return { ...tool, definition: { ...definition, description } };
}

/** A tool may require another right besides that of its operation. */
export function isToolFor(capability: Capability, operation: Operation, principal: Principal): boolean {
  const access = accessOf(operation);
  const right = operation.mcp?.right;
  return (
    mayUse(capability, access, principal) &&
    (right === undefined || mayUse(capability, { ...access, right }, principal))
  );
}

function toolOf(
  capability: Capability,
  operation: Operation,
  combined: boolean,
  { pipeline, log }: ToolParts,
): PlainTool {
  const definition = toolDefinition(operation, combined);
  const { name } = definition;
  const mayAsk = operation.effect === 'sends';
  return {
    definition,
    mayAsk,
    async call(given, context, caller) {
      const args = withoutNulls(given);
      const asking = mayAsk ? askingClient(context, caller) : undefined;
      try {
        const call = { ...callOf(context, caller, { tool: name }), ...(asking ? { asking } : {}) };
        const result = await pipeline.call(capability, operation, args, call);
        return inForm(formFor(caller.clientName?.()), {
          content: textsOf(operation, result, log).map(toBlock),
          structuredContent: structured(operation, result, args),
        });
      } catch (thrown) {
        if (thrown instanceof AskClient) {
          caller.waitsForUser?.(context.mcpReq.id);
          return toInputRequired(thrown.question);
        }
        const error = toAppError(thrown);
        if (error.code === 'TOO_LARGE') throw requestError(error, caller.era);
        const failed = failedResult(error);
        return formFor(caller.clientName?.()) === 'text' ? inForm('text', failed) : failed;
      }
    },
  };
}

const ELSEWHERE = toBlock('The result is in the structured content.');

/** Without what the client would not show its model. A hint beside the result is kept. */
function inForm<Result extends { content: ReturnType<typeof toBlock>[]; structuredContent: JsonObject }>(
  form: ResultForm,
  result: Result,
): Result | Omit<Result, 'structuredContent'> {
  if (form === 'both') return result;
  if (form === 'structured') return { ...result, content: [ELSEWHERE, ...result.content.slice(1)] };
  const { structuredContent: _, ...rest } = result;
  return rest;
}

/** A client that gets no structured content gets no schema of it either: it would miss what that promises. */
export function withoutOutputSchema<Tool extends { definition: { outputSchema?: unknown } }>(tool: Tool): Tool {
  const { outputSchema: _, ...definition } = tool.definition;
  return { ...tool, definition };
}

export function failedResult(error: AppError) {
  const { message, hint } = error;
  return {
    isError: true,
    content: (hint === undefined ? [message] : [message, hint]).map(toBlock),
    structuredContent: { error: error.toJSON() as unknown as JsonObject },
  };
}

/** `combined`: the endpoint offers more than one capability. */
export function toolDefinition(operation: Operation, combined: boolean) {
  const { mcp, description, effect, idempotent } = operation;
  if (!mcp) throw new Error('not a tool');
  const { input, output } = schemasOf(operation);
  return {
    name: combined ? (mcp.combined_name ?? mcp.name) : mcp.name,
    ...(mcp.title === undefined ? {} : { title: mcp.title }),
    description,
    inputSchema: input,
    outputSchema: output,
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'destroys',
      idempotentHint: idempotent ?? effect === 'reads',
      openWorldHint: effect === 'sends',
    },
  };
}

/** A result that cannot be rendered is sent as JSON: a caller that got an error would repeat the operation. */
export function textsOf(operation: Operation, result: JsonObject, log: Log): string[] {
  try {
    const aside = operation.aside?.(result);
    if (operation.render) return [operation.render(result), ...(aside === undefined ? [] : [aside])];
  } catch (err) {
    log.error({ err, operation: nameOf(operation) }, 'a result could not be rendered');
  }
  return [JSON.stringify(result)];
}

function structured({ mcp }: Operation, result: JsonObject, args: Record<string, unknown>): JsonObject {
  return mcp?.structured ? (mcp.structured(result, args) as JsonObject) : result;
}

function toBlock(text: string) {
  return { type: 'text', text } as const;
}
