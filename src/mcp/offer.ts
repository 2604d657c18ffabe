import type { Resource } from '@modelcontextprotocol/server';
import type { Capability } from '../capability.ts';
import { AppError, toAppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { JsonObject } from '../domain/json.ts';
import { allows, type Principal } from '../domain/principal.ts';
import type { ProtocolRequest } from '../domain/protocol-request.ts';
import type { Log } from '../lib/log.ts';
import {
  type Call,
  nameOf,
  type Operation,
  type Pipeline,
  type Prompt,
  type ResourceTemplate,
  rightOf,
} from '../operation.ts';
import { createChanges, mayRead } from './changes.ts';
import { requestError } from './errors.ts';
import { schemasOf } from './operation-schema.ts';
import { mayMatch, splitResume, templateMatcher } from './patterns.ts';
import type { Caller, PromptEntry, Registry, RequestContext, ToolEntry } from './registry.ts';

export interface OfferOptions {
  /** Just these capabilities, by name; empty means all. */
  only: readonly string[];
  /** Hides whatever changes or sends anything. */
  readOnly: boolean;
}

export interface OfferParts {
  capabilities: readonly Capability[];
  pipeline: Pipeline;
  events: EventLog;
  /** Takes every secret the program knows out of what subscribers are told. */
  masker: { maskDeep<T>(value: T): T };
  log: Log;
}

/** What the capabilities offer on one endpoint, as a registry for the protocol. */
export function createOffer(parts: OfferParts, options: OfferOptions): Registry {
  const { capabilities, pipeline, log } = parts;
  const served = select(capabilities, options.only);
  const combined = served.length > 1;
  const tools = inOrder(
    served.flatMap((capability) =>
      capability.operations
        .filter(({ mcp, effect }) => mcp && !(options.readOnly && effect !== 'reads'))
        .filter(({ mcp }) => combined || !mcp?.combinedOnly)
        .map((operation) => toolEntry(capability, operation, combined, { pipeline, log })),
    ),
    (tool) => tool.definition.name,
  );
  const prompts = inOrder(
    served.flatMap((capability) =>
      (capability.prompts ?? []).map((prompt) => promptEntry(capability, prompt, pipeline)),
    ),
    (prompt) => prompt.definition.name,
  );
  const resources = served.flatMap((capability) =>
    (capability.resources ?? []).map((resource) => ({ capability, resource })),
  );
  const templates = served.flatMap((capability) =>
    (capability.templates ?? []).map((template) => ({
      capability,
      template,
      variablesOf: templateMatcher(template.uriTemplate),
    })),
  );
  const changes = createChanges(parts, served);

  return {
    tools: (principal) => tools.filter((tool) => tool.usableBy(principal)),
    tool: (name, principal) => tools.find((tool) => tool.definition.name === name && tool.usableBy(principal)),

    resources: (principal) =>
      inOrder(
        resources.filter(({ capability }) => mayRead(capability, principal)).map(({ resource }) => describe(resource)),
        (resource) => resource.uri,
      ),

    templates: (principal) =>
      inOrder(
        templates
          .filter(({ capability }) => mayRead(capability, principal))
          .map(({ template: { uriTemplate, ...rest } }) => ({ uriTemplate, ...describe(rest) })),
        (template) => template.uriTemplate,
      ),

    async read(uri, context, caller) {
      const call = () => callOf(context, caller, { resource: uri });
      const fixed = resources.find(({ resource }) => resource.uri === uri);
      if (fixed) {
        const { capability, resource } = fixed;
        const text = await pipeline.read(capability, uri, call(), (inner) => resource.read(inner));
        return { contents: [{ uri, mimeType: resource.mimeType, text }] };
      }
      for (const { capability, template, variablesOf } of templates) {
        const variables = variablesOf(uri);
        if (!variables) continue;
        const content = await pipeline.read(capability, template.uriTemplate, call(), (inner) =>
          template.read(new URL(uri), variables, inner),
        );
        return { contents: [content] };
      }
      return undefined;
    },

    prompts: (principal) => prompts.filter((prompt) => prompt.usableBy(principal)),
    prompt: (name, principal) =>
      prompts.find((prompt) => prompt.definition.name === name && prompt.usableBy(principal)),

    async complete(target, argument, context, caller) {
      const found =
        target.kind === 'prompt'
          ? served.flatMap((capability) =>
              (capability.prompts ?? [])
                .filter((prompt) => prompt.name === target.name)
                .map((prompt) => ({ capability, complete: prompt.complete })),
            )[0]
          : templates
              .filter(({ template }) => template.uriTemplate === target.uriTemplate)
              .map(({ capability, template }) => ({ capability, complete: template.complete }))[0];
      if (!found) return undefined;
      const { capability, complete } = found;
      if (!complete) return [];
      return pipeline.read(capability, 'completion', callOf(context, caller), (inner) =>
        complete(argument.name, argument.value, inner, argument.chosen),
      );
    },

    async checkSubscription(uri, caller) {
      const { pattern, after } = splitResume(uri);
      if (after !== undefined) await changes.checkKept(after);
      const call: Call = { principal: caller.principal, door: 'mcp' };
      const readable = [...resources, ...templates].filter(({ capability }) => mayRead(capability, caller.principal));
      const fitting = readable.filter((entry) => mayMatch(pattern, addressOf(entry)));
      const follows: string[] = [];
      for (const entry of fitting) {
        const followed = 'template' in entry ? await subscribeTo(entry, pattern, call) : undefined;
        follows.push(...(followed ?? [pattern]));
      }
      if (fitting.length > 0) {
        return { pattern, follows: [...new Set(follows)], ...(after === undefined ? {} : { after }) };
      }
      throw new AppError('NOT_FOUND', `Nothing here answers to ${pattern}, so it cannot be subscribed to.`, {
        field: 'uri',
      });
    },

    onListChanged: () => () => {},
    onUpdate: changes.listen,
    missed: changes.missed,
    newestEvent: changes.newest,
  };

  async function subscribeTo(
    { capability, template }: { capability: Capability; template: ResourceTemplate },
    pattern: string,
    call: Call,
  ): Promise<readonly string[] | undefined> {
    return pipeline.read(capability, `subscribe ${template.uriTemplate}`, call, async (inner) =>
      template.subscribe?.(pattern, inner),
    );
  }
}

function select(capabilities: readonly Capability[], only: readonly string[]): readonly Capability[] {
  if (only.length === 0) return capabilities;
  const choices = capabilities.filter((capability) => !capability.combinedOnly);
  return [...new Set(only)].map((name) => {
    const found = choices.find((capability) => capability.name === name);
    if (found) return found;
    const valid = choices.map((capability) => capability.name).join(', ') || 'none in this version';
    throw new AppError('VALIDATION_ERROR', `There is no capability '${name}'. Valid: ${valid}.`, { field: 'only' });
  });
}

type Usable<T> = T & { usableBy(principal: Principal): boolean };

function toolEntry(
  capability: Capability,
  operation: Operation,
  combined: boolean,
  { pipeline, log }: Pick<OfferParts, 'pipeline' | 'log'>,
): Usable<ToolEntry> {
  const definition = toolDefinition(operation, combined);
  const { name } = definition;
  return {
    usableBy: (principal) => allows(principal, `${capability.name}:${rightOf(operation)}`),
    definition,
    async call(args, context, caller) {
      try {
        const result = await pipeline.call(capability, operation, args, callOf(context, caller, { tool: name }));
        return { content: wordsOf(operation, result, log).map(toBlock), structuredContent: result };
      } catch (thrown) {
        const error = toAppError(thrown);
        if (error.code === 'TOO_LARGE') throw requestError(error, caller.era);
        const { message, hint } = error;
        return {
          isError: true,
          content: (hint === undefined ? [message] : [message, hint]).map(toBlock),
          structuredContent: { error: error.toJSON() as unknown as JsonObject },
        };
      }
    },
  };
}

/** `combined` where more than one capability is offered on the endpoint. */
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

/** A result whose words fail is told as it is: a caller that is told it failed would do it again. */
function wordsOf(operation: Operation, result: JsonObject, log: Log): string[] {
  try {
    const aside = operation.aside?.(result);
    if (operation.render) return [operation.render(result), ...(aside === undefined ? [] : [aside])];
  } catch (err) {
    log.error({ err, operation: nameOf(operation) }, 'a result could not be put into words');
  }
  return [JSON.stringify(result)];
}

function toBlock(text: string) {
  return { type: 'text', text } as const;
}

function promptEntry(capability: Capability, prompt: Prompt, pipeline: Pipeline): Usable<PromptEntry> {
  const { name, title, description, arguments: args } = prompt;
  return {
    usableBy: (principal) => allows(principal, `${capability.name}:read`),
    definition: { name, ...(title === undefined ? {} : { title }), description, arguments: [...args] },
    async get(values, context, caller) {
      const missing = args.find((argument) => argument.required && values[argument.name] === undefined);
      if (missing) {
        throw new AppError(capability.invalidInput, `${missing.name} is required.`, { field: missing.name });
      }
      const { text, ...rest } = await pipeline.read(
        capability,
        name,
        callOf(context, caller, { prompt: name }),
        (inner) => prompt.get(values, inner),
      );
      return { ...rest, messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  };
}

type Target = Pick<ProtocolRequest, 'tool' | 'prompt' | 'resource'>;

function callOf({ mcpReq }: RequestContext, caller: Caller, target: Target = {}): Call {
  const { principal, origin, onDelivery, version, reached } = caller;
  reached?.(mcpReq.id);
  const { progressToken, traceparent, tracestate } = mcpReq._meta ?? {};
  const protocolVersion = version?.();
  return {
    principal,
    door: 'mcp',
    signal: mcpReq.signal,
    ...(origin ? { origin } : {}),
    ...(onDelivery ? { onDelivery: (settle) => onDelivery(mcpReq.id, settle) } : {}),
    request: {
      method: mcpReq.method,
      id: String(mcpReq.id),
      ...target,
      ...(protocolVersion === undefined ? {} : { protocolVersion }),
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      ...(typeof tracestate === 'string' ? { tracestate } : {}),
    },
    ...(progressToken === undefined
      ? {}
      : {
          progress: (progress, total, message) => {
            const params = {
              progressToken,
              progress,
              ...(total === undefined ? {} : { total }),
              ...(message === undefined ? {} : { message }),
            };
            mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
          },
        }),
  };
}

function describe<T extends Omit<Resource, 'uri'> & { read: unknown }>(entry: T) {
  const { name, title, description, mimeType, ...rest } = entry;
  const known = 'uri' in rest ? { uri: rest.uri } : {};
  return { ...known, name, ...(title === undefined ? {} : { title }), description, mimeType } as Omit<Resource, 'uri'> &
    Pick<T, Extract<keyof T, 'uri'>>;
}

function addressOf(entry: { resource: { uri: string } } | { template: { uriTemplate: string } }): string {
  return 'template' in entry ? entry.template.uriTemplate : entry.resource.uri;
}

function inOrder<T>(entries: readonly T[], key: (entry: T) => string): T[] {
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
