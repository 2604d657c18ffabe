import { z } from 'zod';
import type { Capability } from '../capability.ts';
import { ERROR_CODES } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { nameOf, type Operation, rightOf } from '../operation.ts';

type Schema = Record<string, unknown>;
type PathItem = Record<string, JsonObject>;

/** The REST routes of all operations, as an OpenAPI 3.1 document. */
export function openApiOf(capabilities: readonly Capability[], version: string): JsonObject {
  const paths: Record<string, PathItem> = { '/events': { get: EVENTS } };
  const schemas: Record<string, Schema> = { Error: ERROR, StoredEvent: STORED_EVENT };
  for (const capability of capabilities) {
    for (const operation of capability.operations) {
      if (!operation.rest) continue;
      const { path, method } = operation.rest;
      const template = path.replace(/:(\w+)/g, '{$1}');
      const described = describe(capability, operation, operation.rest, schemas);
      paths[template] = { ...paths[template], [method.toLowerCase()]: described };
    }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Switchboard', version, description: 'Every operation of Switchboard over REST.' },
    servers: [{ url: '/api/v1' }],
    // Where no token is set, this machine may call without one.
    security: [{ bearer: [] }, {}],
    tags: capabilities.map(({ name }) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token of `auth` or `token add`.' } },
      responses: {
        Error: { description: 'Why it failed.', content: json({ $ref: '#/components/schemas/Error' }) },
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
  const mustSay = others.map(([field]) => field).filter((field) => needed.has(field));
  const object = {
    ...input,
    properties: Object.fromEntries(others),
    ...(mustSay.length > 0 ? { required: mustSay } : {}),
  };
  const body = rest.body === undefined ? object : listOrItem((properties as Record<string, Schema>)[rest.body] ?? {});
  return {
    operationId,
    summary: operation.mcp?.title ?? name,
    description: operation.description,
    tags: [capability.name],
    'x-required-scope': `${capability.name}:${rightOf(operation)}`,
    parameters: [
      ...fields.filter(([field]) => inPath.has(field)).map(([field, schema]) => parameter('path', field, schema, true)),
      ...(hasBody ? [] : others.map(([field, schema]) => parameter('query', field, schema, needed.has(field)))),
    ],
    ...(hasBody && others.length > 0 ? { requestBody: { required: mustSay.length > 0, content: json(body) } } : {}),
    responses: answers({ description: 'Done.', content: json(output) }),
  };
}

/** A body that is a list may also be one item of it. */
function listOrItem(list: Schema): Schema {
  return { anyOf: [list, ...(list.items === undefined ? [] : [list.items as Schema])] };
}

/** Lists are given by repeating the name, which is OpenAPI's own way; objects as JSON. */
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

/** What a schema refers to stands beside it in JSON Schema, and in a place for all in OpenAPI. */
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
      // A later version may say more; whoever reads it should not mind.
      if (io === 'output') delete jsonSchema.additionalProperties;
    },
  });
  const prefix = `${operationId}_${io}_`;
  const moved = JSON.stringify(made).replaceAll('"#/$defs/', `"#/components/schemas/${prefix}`);
  const { $schema: _, $defs = {}, ...rest } = JSON.parse(moved) as Schema & { $defs?: Record<string, Schema> };
  for (const [name, definition] of Object.entries($defs)) shared[prefix + name] = definition;
  return rest;
}

function answers(done: JsonObject): JsonObject {
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
        field: { type: 'string', description: 'The input field that is wrong.' },
        hint: { type: 'string', description: 'What can be done about it.' },
      },
    },
  },
};

const STORED_EVENT: JsonObject = {
  type: 'object',
  required: ['number', 'at', 'type', 'subject', 'data'],
  properties: {
    number: { type: 'integer', description: 'Grows by each event and never repeats.' },
    at: { type: 'string', format: 'date-time' },
    type: { type: 'string' },
    subject: { type: 'string' },
    data: { type: 'object' },
  },
};

/** The one route that is no operation. */
const EVENTS: JsonObject = {
  operationId: 'events',
  summary: 'Events',
  description: 'What happens, as server-sent events whose data is a StoredEvent. `event: gap` tells of missing ones.',
  tags: ['system'],
  'x-required-scope': 'system:read',
  parameters: [
    {
      name: 'after',
      in: 'query',
      required: false,
      description: 'Begin after the event with this number; with the next one where it is not said.',
      schema: { type: 'integer', minimum: 0 },
    },
    {
      name: 'types',
      in: 'query',
      required: false,
      description: 'Only these types; one that ends in a dot stands for all that begin so.',
      schema: { type: 'array', items: { type: 'string' } },
    },
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: 'The same as `after`, as browsers say it.',
      schema: { type: 'string' },
    },
  ],
  responses: answers({
    description: 'A stream that lasts.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  }),
};
