import { composedCapabilities } from '../../src/compose.ts';
import { toolDefinition } from '../../src/mcp/offer.ts';
import { SERVER_CAPABILITIES } from '../../src/mcp/server.ts';
import { SESSION_VERSIONS, STATELESS_VERSION } from '../../src/mcp/versions.ts';
import type { BuiltTool, Manifest } from '../../src/shim/manifest.ts';

/** What the endpoint with all capabilities offers, as the build puts it into the shim. */
export function offlineManifest(): Manifest {
  const capabilities = composedCapabilities();
  const combined = capabilities.length > 1;
  const tools = capabilities.flatMap(({ name, operations }) =>
    operations.flatMap((operation): BuiltTool[] =>
      operation.mcp
        ? [{ capability: name, aloneAs: operation.mcp.name, definition: toolDefinition(operation, combined) }]
        : [],
    ),
  );
  return {
    tools: tools.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1)),
    capabilities: SERVER_CAPABILITIES,
    sessionVersions: SESSION_VERSIONS,
    statelessVersion: STATELESS_VERSION,
  };
}
