import { z } from 'zod';
import { nameOf, type Operation } from '../operation.ts';
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
  const built = BUILT_SCHEMAS[nameOf(operation)];
  if (built) return built;
  const known = computed.get(operation);
  if (known) return known;
  const made = computeSchemas(operation);
  computed.set(operation, made);
  return made;
}

export function computeSchemas(operation: Operation): OperationSchemas {
  return { input: portable(operation.input, 'input'), output: orError(portable(operation.output, 'output')) };
}

/**
 * Clients of the SDK's first generation check the structured content of failed calls too, and would hide our words
 * behind their own where `{error}` does not fit.
 */
function orError(schema: JsonSchemaObject): JsonSchemaObject {
  const error = { type: 'object', description: 'Why the call failed; nothing else is there then.' };
  return { ...schema, properties: { ...(schema.properties as object), error } };
}

/**
 * Without `$schema`, since older clients fail on dialects they do not know, and without what tells a model nothing:
 * every agent pays for each byte of it on every turn.
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
        // Nobody writes texts of that length by mistake, and whoever does is told.
        delete jsonSchema.maxLength;
      } else {
        delete jsonSchema.additionalProperties;
        delete jsonSchema.required;
      }
    },
  });
  return { ...rest, type: 'object' };
}
