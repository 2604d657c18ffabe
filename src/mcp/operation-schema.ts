import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { BUILT_SCHEMAS } from './schemas.ts';

export interface JsonSchemaObject {
  type: 'object';
  [key: string]: unknown;
}

export interface OperationSchemas {
  input: JsonSchemaObject;
  output: JsonSchemaObject;
}

const computed = new WeakMap<Operation, OperationSchemas>();

/** The JSON Schemas of an operation that is a tool: from the build where there are any, else made once. */
export function schemasOf(operation: Operation): OperationSchemas {
  const built = operation.mcp && BUILT_SCHEMAS[operation.mcp.name];
  if (built) return built;
  const known = computed.get(operation);
  if (known) return known;
  const made = computeSchemas(operation);
  computed.set(operation, made);
  return made;
}

export function computeSchemas(operation: Operation): OperationSchemas {
  return { input: portable(operation.input, 'input'), output: portable(operation.output, 'output') };
}

/** Without `$schema`: older clients fail on dialects they do not know. */
function portable(schema: z.ZodObject, io: 'input' | 'output'): JsonSchemaObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return { ...rest, type: 'object' };
}
