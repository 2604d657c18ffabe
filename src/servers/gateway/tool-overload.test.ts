import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { managedServer } from '../../../tests/support/servers/managed-fixture.ts';
import type { GatewayEntry } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { indexOffers } from './offer-index.ts';
import { createToolOverload } from './tool-overload.ts';

const tools = Array.from({ length: 30 }, (_, number) => ({
  name: `tool_${number}`,
  description: number === 7 ? 'Feeds the lion' : 'Something else',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
}));
const overload = createToolOverload(indexOffers([managedServer('zoo', { tools })]), 20);
const [calls, finds] = overload as [GatewayEntry, GatewayEntry];

describe('more tools than are listed', () => {
  test('HOST-22 two tools stand for them, and say so', () => {
    assert.deepEqual(
      overload.map(({ definition }) => definition.name),
      ['call_tool', 'search_tools'],
    );
    assert.match(String(finds.definition.description), /zoo.*30 tools, more than the 20/);
  });

  test('HOST-22 a search gives names, descriptions and schemas, and how many fit', async () => {
    const lion = await finds.answer?.({ query: 'lion' });
    const all = (await finds.answer?.({ query: '', limit: 2 })) as {
      structuredContent: JsonObject;
      content: JsonObject[];
    };

    assert.deepEqual(lion?.structuredContent, {
      tools: [{ name: 'zoo__tool_7', description: 'Feeds the lion', input_schema: tools[7]?.inputSchema }],
      total: 1,
    });
    assert.equal(all.structuredContent.total, 30);
    assert.match(String(all.content[0]?.text), /28 more fit\./);
  });

  test('HOST-22 a call means the tool that it names', () => {
    const target = calls.target?.({ name: 'zoo__tool_3', arguments: { n: 1 } });

    assert.equal(target?.entry.definition.name, 'zoo__tool_3');
    assert.deepEqual(target?.args, { n: 1 });
  });

  test('HOST-22 wrong arguments are named', async () => {
    await assert.rejects(async () => finds.answer?.({ query: 1 }), { code: 'VALIDATION_ERROR', field: 'query' });
    await assert.rejects(async () => finds.answer?.({ query: '', limit: 21 }), { field: 'limit' });
    assert.throws(() => calls.target?.({ name: 'zoo__none' }), { code: 'NOT_FOUND', field: 'name' });
    assert.throws(() => calls.target?.({ name: 'zoo__tool_1', arguments: 'x' }), { field: 'arguments' });
  });
});
