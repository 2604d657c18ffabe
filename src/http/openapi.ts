import { z } from 'zod';
import type { Capability } from '../capability.ts';
import { ERROR_CODES } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { nameOf, type Operation, rightOf } from '../operation.ts';

type Schema = Record<string, unknown>;
type PathItem = Record<string, JsonObject>;

/** The REST routes of all operations as an OpenAPI 3.1 document. */
export function openApiOf(capabilities: readonly Capability[], version: string): JsonObject {
  const paths: Record<string, PathItem> = { '/events': { get: EVENTS } };
  const schemas: Record<string, Schema> = { Error: ERROR, StoredEvent: STORED_EVENT };
  for (const capability of capabilities) {
    for (const operation of capability.operations) {
      if (!operation.rest) continue;
      const { path, method } = operation.rest;
      const template = path.replace(/:(\w+)/g, '{$1}');
      const pathItem = describe(capability, operation, operation.rest, schemas);
      paths[template] = { ...paths[template], [method.toLowerCase()]: pathItem };
    }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Switchboard', version, description: 'All operations of Switchboard over REST.' },
    servers: [{ url: '/api/v1' }],
    // Without a configured token, local callers need none.
    security: [{ bearer: [] }, {}],
    tags: capabilities.map(({ name }) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token of `auth` or `token add`.' } },
      responses: {
        Error: { description: 'Error.', content: json({ $ref: '#/components/schemas/Error' }) },
      },
      schemas: schemas as JsonObject,
    },
  };
}

function describe(
  capability: Capability,
  operation: Operation,
  rest: NonNullable<Operation['rest']>,
  shared: Record<string, Schema>,
): JsonObject {
  const name = nameOf(operation);
  const operationId = (operation.mcp?.name ?? name).replace(/\W+/g, '_');
  const { properties = {}, required = [], ...input } = jsonSchema(operation.input, 'input', operationId, shared);
  const output = jsonSchema(operation.output, 'output', operationId, shared);
  const fields = Object.entries(properties as Record<string, Schema>);
  const needed = new Set(required as readonly string[]);
  const inPath = new Set([...rest.path.matchAll(/:(\w+)/g)].map(([, variable]) => variable));
  const others = fields.filter(([field]) => !inPath.has(field));
  const hasBody = rest.method === 'POST' || rest.method === 'PUT';
  const requiredFields = others.map(([field]) => field).filter((field) => needed.has(field));
  const object = {
    ...input,
    properties: Object.fromEntries(others),
    ...(requiredFields.length > 0 ? { required: requiredFields } : {}),
  };
  const body = rest.body === undefined ? object : listOrItem((properties as Record<string, Schema>)[rest.body] ?? {});
  return {
    operationId,
    summary: operation.mcp?.title ?? name,
    description: operation.description,
    tags: [capability.name],
    'x-required-scope': `${capability.name}:${rightOf(operation)}`,
    ...(operation.ownerOnly ? { 'x-owner-only': true } : {}),
    parameters: [
      ...fields.filter(([field]) => inPath.has(field)).map(([field, schema]) => parameter('path', field, schema, true)),
      ...(hasBody ? [] : others.map(([field, schema]) => parameter('query', field, schema, needed.has(field)))),
    ],
    ...(hasBody && others.length > 0
      ? { requestBody: { required: requiredFields.length > 0, content: json(body) } }
      : {}),
    responses: responses({ description: 'Done.', content: json(output) }),
  };
}

/** A body that is a list may also be a single item. */
function listOrItem(list: Schema): Schema {
  return { anyOf: [list, ...(list.items === undefined ? [] : [list.items as Schema])] };
}

/** Lists repeat the parameter, which is OpenAPI's default; objects are JSON. */
function parameter(where: 'path' | 'query', name: string, schema: Schema, required: boolean): JsonObject {
  const { description, ...rest } = schema;
  return {
    name,
    in: where,
    required,
    ...(description === undefined ? {} : { description }),
    ...(rest.type === 'object' ? { content: json(rest) } : { schema: rest }),
  } as JsonObject;
}

/** Moves `$defs` of the JSON Schema to the document's shared components. */
function jsonSchema(
  schema: z.ZodObject,
  io: 'input' | 'output',
  operationId: string,
  shared: Record<string, Schema>,
): Schema {
  const made = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // A later version may add fields, and clients should accept them.
      if (io === 'output') delete jsonSchema.additionalProperties;
    },
  });
  const prefix = `${operationId}_${io}_`;
  const moved = JSON.stringify(made).replaceAll('"#/$defs/', `"#/components/schemas/${prefix}`);
  const { $schema: _, $defs = {}, ...rest } = JSON.parse(moved) as Schema & { $defs?: Record<string, Schema> };
  for (const [name, definition] of Object.entries($defs)) shared[prefix + name] = definition;
  return rest;
}

function responses(done: JsonObject): JsonObject {
  return { '200': done, default: { $ref: '#/components/responses/Error' } };
}

function json(schema: Schema): JsonObject {
  return { 'application/json': { schema } } as unknown as JsonObject;
}

const ERROR: JsonObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: [...ERROR_CODES] },
        message: { type: 'string' },
        field: { type: 'string', description: 'Invalid input field.' },
        hint: { type: 'string', description: 'What to do about it.' },
      },
    },
  },
};

const STORED_EVENT: JsonObject = {
  type: 'object',
  required: ['number', 'at', 'type', 'subject', 'data'],
  properties: {
    number: { type: 'integer', description: 'Increases with each event; never reused.' },
    at: { type: 'string', format: 'date-time' },
    type: { type: 'string' },
    subject: { type: 'string' },
    data: { type: 'object' },
  },
};

/** The only route that is not an operation. */
const EVENTS: JsonObject = {
  operationId: 'events',
  summary: 'Events',
  description: 'The event log as server-sent events whose data is a StoredEvent. `event: gap` reports missing events.',
  tags: ['system'],
  'x-required-scope': 'system:read',
  parameters: [
    {
      name: 'after',
      in: 'query',
      required: false,
      description: 'Start after the event with this number; default: with the next new event.',
      schema: { type: 'integer', minimum: 0 },
    },
    {
      name: 'types',
      in: 'query',
      required: false,
      description: 'Only these types. A type that ends in a dot is a prefix.',
      schema: { type: 'array', items: { type: 'string' } },
    },
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: 'Same as `after`; sent by browsers when they reconnect.',
      schema: { type: 'string' },
    },
  ],
  responses: responses({
    description: 'An open-ended stream.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  }),
};
