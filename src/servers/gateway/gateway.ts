import { AppError } from '../../domain/errors.ts';
import type { Gateway, GatewayEntry, GatewayRequest } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { OutboxCaller } from '../../domain/outbox.ts';
import { answerableIdentity } from '../../domain/principal.ts';
import type { Log } from '../../lib/log.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { indexOffers, type OfferIndex, type ServerEntry } from './offer-index.ts';
import { publicName } from './public-name.ts';
import { forwardedMeta, linkedResources, markedResult, type RelayedMethod, wellFormed } from './results.ts';
import { type Asking, createStatelessQuestions } from './stateless-questions.ts';
import { createToolOverload } from './tool-overload.ts';

export interface GatewayParts {
  servers(): readonly ManagedServer[];
  /** How many tools are listed at once. */
  toolBudget(): number;
  /** Names of clients that search tools themselves: all are listed for them. */
  wholeListClients(): readonly string[];
  /** The caller has read what this server said. */
  noteRead(caller: OutboxCaller, server: string): Promise<void>;
  log: Log;
}

const LISTS = ['tools', 'resources', 'prompts'] as const;
type List = (typeof LISTS)[number];
type ListListener = (list: List) => void;

/** Changes that follow each other within so long are one. */
const SETTLE_MS = 50;

/** Resources that results pointed to, which servers need not list. */
const MAX_LINKS = 10_000;

/** Passes requests of clients on to the servers that answer them. */
export function createGateway({ servers, toolBudget, wholeListClients, noteRead, log }: GatewayParts) {
  const listeners = new Set<ListListener>();
  const questions = createStatelessQuestions();
  const links = new Map<string, ManagedServer>();
  let notifying: NodeJS.Timeout | undefined;
  let notified: Record<List, string> = { tools: '[]', prompts: '[]', resources: '[[],[]]' };
  let known: { index: OfferIndex; budget: number; overload: readonly GatewayEntry[] } | undefined;

  function current() {
    const budget = toolBudget();
    if (known?.budget === budget) return known;
    const index = indexOffers(servers());
    known = { index, budget, overload: index.tools.length > budget ? createToolOverload(index, budget) : [] };
    return known;
  }

  function ownerOf(uri: string): ManagedServer | undefined {
    const { index } = current();
    const linked = links.get(uri);
    return index.ownerOfResource(uri) ?? (linked && index.servers.includes(linked) ? linked : undefined);
  }

  /** Sends a request on, and marks its result as the words of the server. */
  async function relay(server: ManagedServer, method: RelayedMethod, params: JsonObject, request: GatewayRequest) {
    const { trusted } = server.config();
    const sent = { ...params, ...forwardedMeta(request.meta) };
    const result = await answered(server, method, sent, request);
    if (result.resultType === 'input_required') return result;
    if (!trusted) await noteRead(request.caller, server.id);
    for (const uri of linkedResources(result)) remember(uri, server);
    return markedResult(result, server.id, trusted);
  }

  function answered(server: ManagedServer, method: RelayedMethod, params: JsonObject, request: GatewayRequest) {
    const { ask, signal, caller, session } = request;
    const identity = answerableIdentity(caller.principal);
    const run = async (asking: Asking, ended: AbortSignal) => {
      const sessionKey = session ?? identity;
      const options = { ...request, sessionKey, signal: ended, ask: questionsOf(request, asking, ended) };
      return wellFormed(method, await server.request(method, params, options));
    };
    if (ask) return run(ask, signal);
    if (!request.repeated && !declaresAnswers(request)) return run(cannotAsk, signal);
    const owner = `${identity} ${server.id} ${method} ${params.name ?? params.uri}`;
    return request.repeated ? questions.resume(owner, request) : questions.begin(owner, request, run);
  }

  function remember(uri: string, server: ManagedServer): void {
    links.delete(uri);
    links.set(uri, server);
    const [oldest] = links.keys();
    if (links.size > MAX_LINKS && oldest !== undefined) links.delete(oldest);
  }

  function required(uri: string): ManagedServer {
    const owner = ownerOf(uri);
    if (owner) return owner;
    throw new AppError('NOT_FOUND', 'No server has this resource any more.', { field: 'uri' });
  }

  const gateway: Gateway = {
    tools(_, client = '') {
      const { index, overload } = current();
      return overload.length > 0 && !wholeListClients().includes(client) ? overload : index.tools;
    },
    tool: (name) => {
      const { index, overload } = current();
      return index.toolByName.get(name) ?? overload.find(({ definition }) => definition.name === name);
    },
    callTool(entry, args, request) {
      if (entry.answer) return entry.answer(args);
      const { managed, original } = entry as ServerEntry;
      return relay(managed, 'tools/call', { name: original, arguments: args }, request);
    },
    prompts: () => current().index.prompts,
    prompt: (name) => current().index.promptByName.get(name),
    getPrompt(entry, args, request) {
      const { managed, original } = entry as ServerEntry;
      return relay(managed, 'prompts/get', { name: original, arguments: args }, request);
    },
    resources: () => current().index.resources,
    templates: () => current().index.templates,
    hasResource: (uri) => ownerOf(uri) !== undefined,
    readResource: async (uri, request) => relay(required(uri), 'resources/read', { uri }, request),
    async complete(target, params, request) {
      const { index } = current();
      if (target.kind === 'template') {
        const owner = index.ownerOfTemplate(target.uriTemplate);
        const ref = { type: 'ref/resource', uri: target.uriTemplate };
        return owner && relay(owner, 'completion/complete', { ...params, ref }, request);
      }
      const prompt = index.promptByName.get(target.name);
      const ref = { type: 'ref/prompt', name: prompt?.original ?? '' };
      return prompt && relay(prompt.managed, 'completion/complete', { ...params, ref }, request);
    },
    subscribe: async (uri) => required(uri).subscribe(uri),
    rootsChanged(session) {
      for (const server of servers()) server.rootsChanged(session);
    },
    onListChanged(listener) {
      // Wrapped, so that the same function can be registered twice and removed once.
      const registered: ListListener = (list) => listener(list);
      listeners.add(registered);
      return () => void listeners.delete(registered);
    },
  };

  return {
    gateway,
    /** What servers offer may have changed: clients are notified of lists that have. */
    changed(): void {
      known = undefined;
      notifying ??= setTimeout(notifyChanged, SETTLE_MS).unref();
    },
    index: () => current().index,
    /** For a door that is not MCP. */
    async callByName(server: ManagedServer, tool: string, args: JsonObject, request: GatewayRequest) {
      const entry = current().index.toolByName.get(publicName(server.id, tool));
      if (entry) return gateway.callTool(entry, args, request);
      return relay(server, 'tools/call', { name: tool, arguments: args }, request);
    },
    close(): void {
      clearTimeout(notifying);
      questions.close();
    },
  };

  function notifyChanged(): void {
    notifying = undefined;
    const now = signatures(current().index, current().overload);
    for (const list of LISTS) {
      if (now[list] === notified[list]) continue;
      for (const listener of listeners) notify(listener, list);
    }
    notified = now;
  }

  function notify(listener: ListListener, list: List): void {
    try {
      listener(list);
    } catch (err) {
      log.error({ err }, 'a client could not be notified of a changed list');
    }
  }
}

/** What clients see of each list, as a text to compare. */
function signatures(index: OfferIndex, overload: readonly GatewayEntry[]): Record<List, string> {
  const definitions = (entries: readonly GatewayEntry[]) => JSON.stringify(entries.map(({ definition }) => definition));
  return {
    tools: definitions(overload.length > 0 ? overload : index.tools),
    prompts: definitions(index.prompts),
    resources: JSON.stringify([index.resources, index.templates]),
  };
}

const ANSWERS = ['elicitation', 'sampling', 'roots'] as const;

/** Whether its client can be asked anything. */
function declaresAnswers({ capabilities = {} }: GatewayRequest): boolean {
  return ANSWERS.some((name) => capabilities[name] !== undefined);
}

async function cannotAsk(): Promise<never> {
  throw new AppError('CONFLICT', 'The client cannot answer this.');
}

/** Asks the client of a request, as long as that runs. */
function questionsOf(request: GatewayRequest, asking: Asking, ended: AbortSignal): Asking {
  return async (method, params, signal) => {
    if (!request.canAnswer(method, params)) return cannotAsk();
    return asking(method, params, AbortSignal.any([signal, ended]));
  };
}
