import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { localPrincipal } from '../../src/domain/principal.ts';
import { offeredTools } from '../../src/mcp/offered-tools.ts';
import { silentLog } from '../support/operation-context.ts';
import { passThroughPipeline } from '../support/pass-through-pipeline.ts';

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
}

const capabilities = composedCapabilities();
const everybody = localPrincipal();

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

function fieldsWithoutDescription(schema: Schema, path = ''): string[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const inner = [...(items ? [items] : []), ...anyOf];
  if (typeof additionalProperties === 'object') inner.push(additionalProperties);
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description === undefined ? [`${path}${name}`] : []),
      ...fieldsWithoutDescription(field, `${path}${name}.`),
    ]),
    ...inner.flatMap((each) => fieldsWithoutDescription(each, path)),
  ];
}

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
    const missing = ENDPOINTS.flatMap(({ tools }) =>
      tools.flatMap(({ name, inputSchema }) =>
        fieldsWithoutDescription(inputSchema as Schema).map((field) => `${name}: ${field}`),
      ),
    );

    assert.deepEqual([...new Set(missing)], []);
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
