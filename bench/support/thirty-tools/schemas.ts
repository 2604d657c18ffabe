import { computeSchemas, type OperationSchemas } from '../../../src/mcp/operation-schema.ts';
import { nameOf } from '../../../src/operation.ts';
import { thirtyToolsCapability } from './capability.ts';

/** Inserted by the build, as the schemas of the product's operations are. */
export function schemaManifest(): Record<string, OperationSchemas> {
  return Object.fromEntries(
    thirtyToolsCapability().operations.map((operation) => [nameOf(operation), computeSchemas(operation)]),
  );
}
