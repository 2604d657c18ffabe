import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { localPrincipal } from '../../src/domain/principal.ts';
import { offeredTools } from '../../src/mcp/offered-tools.ts';
import { silentLog } from '../support/operation-context.ts';
import { passThroughPipeline } from '../support/pass-through-pipeline.ts';

interface Schema {
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
}

const capabilities = composedCapabilities();
const everybody = localPrincipal(['servers:manage']);

/** All endpoints: each capability alone, and all together, where every tool is listed. */
const ENDPOINTS = [
  ...capabilities.filter(({ combinedOnly }) => !combinedOnly).map((one) => ({ name: one.name, served: [one] })),
  { name: 'all', served: capabilities.map(({ guide: _, ...rest }) => rest) },
].map(({ name, served }) => ({
  name,
  tools: offeredTools(served, false, { pipeline: passThroughPipeline, log: silentLog })
    .tools(everybody)
    .map(({ definition }) => definition),
}));

/** All fields, nested ones too, by their paths. */
function fieldsIn(schema: Schema, path = ''): { path: string; field: Schema }[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const inner = [...(items ? [items] : []), ...anyOf];
  if (typeof additionalProperties === 'object') inner.push(additionalProperties);
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      { path: `${path}${name}`, field },
      ...fieldsIn(field, `${path}${name}.`),
    ]),
    ...inner.flatMap((each) => fieldsIn(each, path)),
  ];
}

const INPUTS = ENDPOINTS.flatMap(({ tools }) =>
  tools.flatMap(({ name, inputSchema }) =>
    fieldsIn(inputSchema as Schema).map(({ path, field }) => ({ path: `${name}: ${path}`, field })),
  ),
);

describe('the tools of every endpoint', () => {
  test('have a title and a description', () => {
    for (const { name: endpoint, tools } of ENDPOINTS) {
      for (const { name, title, description } of tools) {
        assert(title !== undefined && title !== '', `${endpoint}: ${name} has no title`);
        assert(description !== undefined && description.length > 20, `${endpoint}: ${name}`);
      }
    }
  });

  test('have a description of every input field', () => {
    const missing = INPUTS.filter(({ field }) => field.description === undefined);

    assert.deepEqual([...new Set(missing.map(({ path }) => path))], []);
    assert(INPUTS.some(({ path }) => path === 'servers_create: env_vars.is_secret'));
  });

  test('say the default and the range of an input field in words, since some clients drop the keywords', () => {
    for (const { path, field } of INPUTS) {
      const { description = '', default: value, minimum, maximum, maxItems } = field;
      const hasDefault = ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
      if (hasDefault) assert.match(description, /default/i, path);
      for (const limit of [minimum, maximum, maxItems]) {
        if (limit !== undefined) assert.match(description.replaceAll(',', ''), new RegExp(`\\b${limit}\\b`), path);
      }
    }
  });

  test('mention only tools of their own endpoint', () => {
    const known = new Set(ENDPOINTS.flatMap(({ tools }) => tools.map(({ name }) => name)));
    const distinct = [...known].filter((name) => /[_-]/.test(name));
    for (const { name: endpoint, tools } of ENDPOINTS) {
      const own = new Set(tools.map(({ name }) => name));
      const foreign = distinct.filter((name) => !own.has(name));
      for (const tool of tools) {
        const text = JSON.stringify([tool.description, tool.inputSchema, tool.outputSchema]);
        const words = new Set(text.match(/[\w-]+/g));
        const mentioned = foreign.filter((name) => words.has(name));
        assert.deepEqual(mentioned, [], `${endpoint}: ${tool.name}`);
      }
    }
  });
});
