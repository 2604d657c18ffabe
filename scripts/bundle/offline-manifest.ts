import type { Capability } from '../../src/capability.ts';
import { composedCapabilities } from '../../src/compose.ts';
import type { EventLog } from '../../src/domain/event-log.ts';
import { ownerPrincipal } from '../../src/domain/principal.ts';
import type { Log } from '../../src/lib/log.ts';
import { SERVER_CAPABILITIES } from '../../src/mcp/identity.ts';
import { createOffer } from '../../src/mcp/offer.ts';
import { toolDefinition } from '../../src/mcp/offered-tools.ts';
import { SESSION_VERSIONS, STATELESS_VERSION } from '../../src/mcp/versions.ts';
import type { Pipeline } from '../../src/operation.ts';
import type { BuiltEntry, BuiltTool, Manifest } from '../../src/shim/manifest.ts';

/** What the endpoint with all capabilities offers, inserted into the shim by the build. */
export function offlineManifest(): Manifest {
  const capabilities = composedCapabilities();
  const combined = capabilities.length > 1;
  const tools = capabilities.flatMap(({ name, operations }) =>
    operations.flatMap((operation): BuiltTool[] => {
      const { mcp } = operation;
      if (!mcp) return [];
      const alone = mcp.combinedOnly ? {} : { aloneAs: mcp.name };
      return [{ capability: name, ...alone, definition: toolDefinition(operation, combined) }];
    }),
  );
  const listed = capabilities.map(listsOf);
  return {
    tools: inOrder(tools, ({ definition }) => definition.name),
    resources: inOrder(
      listed.flatMap(({ resources }) => resources),
      ({ definition }) => definition.uri,
    ),
    templates: inOrder(
      listed.flatMap(({ templates }) => templates),
      ({ definition }) => definition.uriTemplate,
    ),
    prompts: inOrder(
      listed.flatMap(({ prompts }) => prompts),
      ({ definition }) => definition.name,
    ),
    capabilities: SERVER_CAPABILITIES,
    sessionVersions: SESSION_VERSIONS,
    statelessVersion: STATELESS_VERSION,
  };
}

/** The lists of a capability; nothing is called, so its dependencies can be empty. */
function listsOf(capability: Capability) {
  const parts = {
    capabilities: [capability],
    pipeline: {} as Pipeline,
    events: {} as EventLog,
    masker: { maskDeep: <T>(value: T) => value },
    log: {} as Log,
  };
  const offer = createOffer(parts, { only: [], readOnly: false });
  const everybody = ownerPrincipal('build');
  const entry = <T extends object>(definition: T) => ({ capability: capability.name, definition }) satisfies BuiltEntry;
  return {
    resources: offer.resources(everybody).map(entry),
    templates: offer.templates(everybody).map(entry),
    prompts: offer.prompts(everybody).map((prompt) => entry(prompt.definition)),
  };
}

function inOrder<T>(entries: readonly T[], key: (entry: T) => string): T[] {
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
