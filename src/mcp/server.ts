import {
  isInputRequiredResult,
  McpServer,
  type McpServerOptions,
  ProtocolError,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { isRecord } from '../lib/is-record.ts';
import { visibleDeep } from '../lib/visible.ts';
import { fitPrompt, fitResource, fitResult } from './content.ts';
import { notFound, requestError } from './errors.ts';
import { type Identity, SERVER_CAPABILITIES } from './identity.ts';
import { type ListParts, listMethods } from './lists.ts';
import { invalid, type Params, recordOf, textOf, textsOf } from './params.ts';
import { splitResume } from './patterns.ts';
import type { Caller, Registry, Subscription } from './registry.ts';
import { SESSION_VERSIONS, STATELESS_VERSION } from './versions.ts';

export interface ServerParts extends ListParts {
  identity: Identity;
  /** How long a client may cache lists and resources. */
  listTtlMs: number;
  resourceTtlMs: number;
  /** Verifies a `requestState` that a client sends back; throws when it is not ours. */
  requestState?: McpServerOptions['requestState'];
}

export interface Subscriber {
  /** `newest` is the newest event before the subscription. */
  subscribe(subscription: Subscription, newest: number): void;
  unsubscribe(pattern: string): void;
}

type Handler = (params: Params, context: ServerContext, caller: Caller) => Promise<object>;

/**
 * The SDK's server for one connection or, without sessions, one request. Every method is answered from the registry.
 * `subscriber` is set on persistent connections.
 */
export function createProtocolServer(
  parts: ServerParts,
  request: Omit<Caller, 'version'>,
  subscriber?: Subscriber,
): McpServer {
  const { identity, registry } = parts;
  const { principal, era } = request;
  // Private, because lists depend on the principal.
  const list = { ttlMs: parts.listTtlMs, cacheScope: 'private' } as const;
  const instructions = () => registry.instructions?.(principal, request.origin) ?? identity.instructions;
  const server = new McpServer(
    { name: identity.name, version: identity.version },
    {
      capabilities: SERVER_CAPABILITIES,
      supportedProtocolVersions: [...SESSION_VERSIONS, STATELESS_VERSION],
      cacheHints: {
        'server/discover': list,
        'tools/list': list,
        'prompts/list': list,
        'resources/list': list,
        'resources/templates/list': list,
        'resources/read': { ttlMs: parts.resourceTtlMs, cacheScope: 'private' },
      },
      ...(parts.requestState === undefined ? {} : { requestState: parts.requestState }),
    },
  );
  // The SDK takes them once, but a client without a session may ask again when the configuration has changed.
  Object.defineProperty(server.server, '_instructions', { get: instructions });
  // The SDK reads a tool's schema here to check the headers that repeat its arguments.
  server.toolInputSchemaJson = (name) => registry.tool(name, principal)?.definition.inputSchema;

  const caller: Caller = { ...request, version: () => server.server.getNegotiatedProtocolVersion() };
  for (const [method, handler] of Object.entries(handlersOf(server, parts, subscriber))) {
    server.server.setRequestHandler(method, { params: ANY_PARAMS }, async (params, context) => {
      try {
        return { ...(await handler(params, context, caller)) };
      } catch (thrown) {
        throw thrown instanceof ProtocolError ? thrown : requestError(thrown, era);
      }
    });
  }
  return server;
}

function handlersOf(server: McpServer, parts: ServerParts, subscriber?: Subscriber): Record<string, Handler> {
  const { registry } = parts;
  const version = () => server.server.getNegotiatedProtocolVersion();
  const lists = [...listMethods(parts)].map(([method, list]): [string, Handler] => [
    method,
    async (params, context, caller) => list(params, { clientName: () => clientNameOf(context), ...caller }),
  ]);
  const handlers: Record<string, Handler> = {
    ...Object.fromEntries(lists),
    'tools/call': async (params, context, caller) => {
      const name = textOf(params, 'name');
      const tool = registry.tool(name, caller.principal);
      if (!tool) throw notFound('tool', name, caller);
      const named = { clientName: () => clientNameOf(context), ...caller };
      const result = await tool.call(recordOf(params, 'arguments'), context, named);
      if (isInputRequiredResult(result)) return result;
      return server.server.projectCallToolResult(
        fitResult(result, version(), tool.isVerbatim),
        tool.definition.outputSchema,
      );
    },
    'resources/read': async (params, context, caller) => {
      const uri = textOf(params, 'uri');
      const result = await registry.read(uri, context, caller);
      if (!result) throw notFound('resource', uri, caller);
      return isInputRequiredResult(result) ? result : fitResource(result);
    },
    'prompts/get': async (params, context, caller) => {
      const name = textOf(params, 'name');
      const prompt = registry.prompt(name, caller.principal);
      if (!prompt) throw notFound('prompt', name, caller);
      const result = await prompt.get(textsOf(params, 'arguments'), context, caller);
      return isInputRequiredResult(result) ? result : fitPrompt(result, version());
    },
    'completion/complete': (params, context, caller) => complete(registry, params, context, caller),
  };
  if (!subscriber) return handlers;
  return {
    ...handlers,
    'resources/subscribe': async (params, _, caller) => {
      const subscription = await registry.checkSubscription(textOf(params, 'uri'), caller);
      // Read before subscribing: a client that resumes from it misses nothing.
      const newest = await registry.newestEvent();
      subscriber.subscribe(subscription, newest);
      return { _meta: { 'switchboard/after': newest } };
    },
    'resources/unsubscribe': async (params) => {
      subscriber.unsubscribe(splitResume(textOf(params, 'uri')).pattern);
      return {};
    },
  };
}

/** Without sessions, a client names itself in every request. */
function clientNameOf({ mcpReq }: ServerContext): string | undefined {
  const { envelope } = mcpReq as { envelope?: Partial<Record<string, unknown>> };
  const info = envelope?.['io.modelcontextprotocol/clientInfo'];
  return isRecord(info) && typeof info.name === 'string' ? info.name : undefined;
}

const MAX_COMPLETIONS = 100;

async function complete(registry: Registry, params: Params, context: ServerContext, caller: Caller): Promise<object> {
  const ref = recordOf(params, 'ref');
  const argument = recordOf(params, 'argument');
  const wanted = {
    name: textOf(argument, 'name', 'argument.name'),
    value: textOf(argument, 'value', 'argument.value'),
    chosen: textsOf(recordOf(params, 'context'), 'arguments'),
  };
  const isPrompt = ref.type === 'ref/prompt';
  if (!isPrompt && ref.type !== 'ref/resource') throw invalid('ref.type', 'must be ref/prompt or ref/resource');
  const name = isPrompt ? textOf(ref, 'name', 'ref.name') : textOf(ref, 'uri', 'ref.uri');
  const target = isPrompt ? ({ kind: 'prompt', name } as const) : ({ kind: 'template', uriTemplate: name } as const);
  const found = await registry.complete(target, wanted, context, caller);
  if (!found) throw notFound(isPrompt ? 'prompt' : 'resource', name, caller);
  const { values, total = values.length } = found;
  const hasMore = found.hasMore === true || values.length > MAX_COMPLETIONS;
  // The total is known only where these are all.
  return {
    completion: {
      values: visibleDeep(values.slice(0, MAX_COMPLETIONS)),
      ...(hasMore && found.total === undefined ? {} : { total }),
      hasMore,
    },
  };
}

/** Handlers check parameters themselves: the SDK would answer with the messages of its schema library. */
const ANY_PARAMS: StandardSchemaV1<unknown, Params> = {
  '~standard': { version: 1, vendor: 'switchboard', validate: (value) => ({ value: isRecord(value) ? value : {} }) },
};
