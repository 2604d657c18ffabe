import { composedCapabilities } from '../../src/compose.ts';
import { computeSchemas, type OperationSchemas } from '../../src/mcp/operation-schema.ts';
import { nameOf } from '../../src/operation.ts';

/** The JSON Schemas of every operation that is a tool, inserted into the program by the build. */
export function schemaManifest(): Record<string, OperationSchemas> {
  const tools = composedCapabilities().flatMap(({ operations }) => operations.filter(({ mcp }) => mcp));
  return Object.fromEntries(tools.map((operation) => [nameOf(operation), computeSchemas(operation)]));
}
