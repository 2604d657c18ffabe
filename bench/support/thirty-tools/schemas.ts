import { computeSchemas, type OperationSchemas } from '../../../src/mcp/operation-schema.ts';
import { nameOf } from '../../../src/operation.ts';
import { thirtyToolsCapability } from './capability.ts';

/** What the build puts into the bundle, as it does for the product's own operations. */
export function schemaManifest(): Record<string, OperationSchemas> {
  return Object.fromEntries(
    thirtyToolsCapability().operations.map((operation) => [nameOf(operation), computeSchemas(operation)]),
  );
}
