import type { GatewayEntry } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { fitsWildcard } from '../../lib/wildcard.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { publicName } from './public-name.ts';
import { allowsTool } from './tool-filter.ts';

/** A tool or prompt of a server. */
export interface ServerEntry extends GatewayEntry {
  readonly managed: ManagedServer;
  /** Its name on the server. */
  readonly original: string;
}

/** Everything that is offered now, by what clients ask with. */
export interface OfferIndex {
  readonly servers: readonly ManagedServer[];
  /** Sorted by name. */
  readonly tools: readonly ServerEntry[];
  readonly toolByName: ReadonlyMap<string, ServerEntry>;
  readonly prompts: readonly ServerEntry[];
  readonly promptByName: ReadonlyMap<string, ServerEntry>;
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  ownerOfResource(uri: string): ManagedServer | undefined;
  ownerOfTemplate(uriTemplate: string): ManagedServer | undefined;
}

/** Whether what a server offers is listed: it runs, starts, or sleeps until it is called. */
function isOffered(server: ManagedServer): boolean {
  const state = server.state();
  if (state.state === 'stopped') return !state.byHand;
  return state.state === 'running' || state.state === 'starting';
}

/** Of two servers with the same resource the one that was added first has it: adding a server changes no other. */
export function indexOffers(all: readonly ManagedServer[]): OfferIndex {
  const servers = all.filter((server) => isOffered(server) && server.reviewed() !== undefined);
  const tools = byName(servers.flatMap(toolsOf));
  const prompts = byName(servers.flatMap(promptsOf));
  const resources = firstBy(servers, (server) => server.manifest()?.resources ?? [], 'uri');
  const templates = firstBy(servers, (server) => server.manifest()?.resourceTemplates ?? [], 'uriTemplate');
  const patterns = [...templates].map(([template, { server }]) => ({ pattern: patternOf(template), server }));
  return {
    servers,
    tools: [...tools.values()],
    toolByName: tools,
    prompts: [...prompts.values()],
    promptByName: prompts,
    resources: [...resources.values()].map(({ definition }) => definition),
    templates: [...templates.values()].map(({ definition }) => definition),
    ownerOfResource: (uri) =>
      resources.get(uri)?.server ?? patterns.find(({ pattern }) => fitsWildcard(pattern, uri))?.server,
    ownerOfTemplate: (uriTemplate) => templates.get(uriTemplate)?.server,
  };
}

function toolsOf(managed: ManagedServer): ServerEntry[] {
  const { tools, trusted } = managed.config();
  const offered = managed.reviewed()?.tools ?? [];
  return offered.filter(({ name }) => allowsTool(tools, name)).map((tool) => entryOf(managed, tool, trusted));
}

function promptsOf(managed: ManagedServer): ServerEntry[] {
  return (managed.reviewed()?.prompts ?? []).map((prompt) => entryOf(managed, prompt, true));
}

function entryOf(managed: ManagedServer, definition: JsonObject & { name: string }, isTrusted: boolean): ServerEntry {
  const { annotations } = definition;
  return {
    managed,
    server: managed.id,
    original: definition.name,
    definition: { ...definition, name: publicName(managed.id, definition.name) },
    isTrusted: managed.config().trusted,
    isReadOnly: isTrusted && isRecord(annotations) && annotations.readOnlyHint === true,
  };
}

function byName(entries: readonly ServerEntry[]): Map<string, ServerEntry> {
  const sorted = [...entries].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  return new Map(sorted.map((entry) => [entry.definition.name, entry]));
}

function firstBy(
  servers: readonly ManagedServer[],
  listOf: (server: ManagedServer) => readonly JsonObject[],
  key: 'uri' | 'uriTemplate',
): Map<string, { server: ManagedServer; definition: JsonObject }> {
  const found = new Map<string, { server: ManagedServer; definition: JsonObject }>();
  for (const server of servers) {
    for (const definition of listOf(server)) {
      const id = String(definition[key]);
      if (!found.has(id)) found.set(id, { server, definition });
    }
  }
  return found;
}

/** Every expression of a URI template stands for any characters: this only finds the server, which decides itself. */
function patternOf(uriTemplate: string): string {
  return uriTemplate.replace(/\{[^}]*\}/g, '*');
}
