import { z } from 'zod';
import { nameOf, type Operation } from '../operation.ts';
import { BUILT_SCHEMAS } from './schemas.ts';
import { type FieldSchema, withWordedLimits } from './worded-schema.ts';

export interface JsonSchemaObject {
  type: 'object';
  [key: string]: unknown;
}

export interface OperationSchemas {
  input: JsonSchemaObject;
  output: JsonSchemaObject;
}

const computed = new WeakMap<Operation, OperationSchemas>();

/** The JSON Schemas of an operation that is a tool: precomputed by the build, or computed once. */
export function schemasOf(operation: Operation): OperationSchemas {
  const built = BUILT_SCHEMAS[nameOf(operation)];
  if (built) return built;
  const known = computed.get(operation);
  if (known) return known;
  const made = computeSchemas(operation);
  computed.set(operation, made);
  return made;
}

export function computeSchemas(operation: Operation): OperationSchemas {
  return {
    input: withWordedLimits(portable(operation.input, 'input') as FieldSchema) as JsonSchemaObject,
    output: orError(portable(operation.output, 'output')),
  };
}

/**
 * Clients on the first generation of the SDK validate the structured content of failed calls, too, and would replace
 * our error by their own if `{error}` did not match.
 */
function orError(schema: JsonSchemaObject): JsonSchemaObject {
  const error = { type: 'object' };
  return { ...schema, properties: { ...(schema.properties as object), error } };
}

/**
 * Without `$schema`, since older clients reject unknown dialects, and without keywords that are of no use to a model:
 * every agent pays for each byte on every turn.
 */
function portable(schema: z.ZodObject, io: 'input' | 'output'): JsonSchemaObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (io === 'input') {
        // Hardly any caller exceeds it, and one that does gets an error.
        delete jsonSchema.maxLength;
      } else {
        delete jsonSchema.additionalProperties;
        delete jsonSchema.required;
      }
    },
  });
  return { ...rest, type: 'object' };
}
