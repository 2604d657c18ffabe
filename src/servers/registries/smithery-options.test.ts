import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fill, missing } from '../draft/draft.ts';
import { smitheryOption } from './smithery-options.ts';
import { isQualifiedName } from './smithery-schema.ts';

const ENTRY = { id: 'a/b', title: 'B' };

describe('a connection of Smithery', () => {
  test('has inputs of its schema: required, secret by name, numbers, booleans and choices', () => {
    const draft = draftOf({
      required: ['token', 'port'],
      properties: {
        token: { type: 'string' },
        port: { type: 'integer', default: 80 },
        debug: { type: 'boolean', default: false },
        mode: { enum: ['a', 1] },
        pin: { type: 'string', format: 'password' },
      },
    });

    assert.deepEqual(
      draft.inputs.map(({ key, required, secret, format, default: preset, choices }) => [
        key,
        required,
        secret,
        format,
        preset,
        choices,
      ]),
      [
        ['token', true, true, undefined, undefined, undefined],
        ['port', true, false, 'number', '80', undefined],
        ['debug', false, false, 'boolean', 'false', undefined],
        ['mode', false, false, undefined, undefined, ['a', '1']],
        ['pin', false, true, undefined, undefined, undefined],
      ],
    );
    assert.deepEqual(
      missing(draft).map(({ key }) => key),
      ['token'],
    );
  });

  test('with names that are no keys has one input for each key', () => {
    const draft = draftOf({ properties: { 'a b': {}, a_b: {}, '': {}, '\ud800': { default: 'x' } } });

    assert.equal(new Set(draft.inputs.map(({ key }) => key)).size, draft.inputs.length);
  });

  test('without a schema needs nothing', () => {
    assert.deepEqual(draftOf(undefined).inputs, []);
  });

  test('that is not at a safe address, or not at an address, is not offered', () => {
    const connections = [
      { type: 'http', deploymentUrl: 'http://example.com/mcp' },
      { type: 'http', deploymentUrl: 'file:///etc/passwd' },
      { type: 'http' },
      { type: 'stdio', bundleUrl: 'https://example.com/x.mcpb', stdioFunction: 'process.exit(1)' },
      {},
      null,
    ];

    for (const connection of connections) assert.ok('reason' in smitheryOption(connection, ENTRY));
  });

  test('that takes a secret of this machine by its default is not offered', () => {
    const configSchema = { properties: { a: { default: `\${secret:TOKEN}`, 'x-from': { header: 'X-A' } } } };

    const option = smitheryOption({ type: 'http', deploymentUrl: 'https://example.com', configSchema }, ENTRY);

    assert.ok('reason' in option);
  });

  test('is read or refused, whatever it is, and its address stays the same server', () => {
    const schema = fc.record({
      required: fc.jsonValue(),
      properties: fc.dictionary(
        fc.string({ unit: 'binary' }),
        fc.oneof(fc.jsonValue(), fc.record({ default: fc.string(), 'x-from': fc.record({ header: fc.string() }) })),
      ),
    });
    fc.assert(
      fc.property(fc.oneof(schema, fc.jsonValue()), (configSchema) => {
        const { transport } = fill(draftOf(configSchema), {});

        assert.equal(new URL(transport.type === 'http' ? transport.url : '').origin, 'https://example.com');
      }),
    );
  });
});

test('a name of Smithery is only a name', () => {
  for (const name of ['a/b', '@a/b', 'exa', 'a.b/c-d_e']) assert.equal(isQualifiedName(name), true, name);
  for (const name of ['', '..', 'a/..', '../a', 'a/b/c', 'a?b', 'a b', '/a'])
    assert.equal(isQualifiedName(name), false, name);
});

function draftOf(configSchema: unknown) {
  const option = smitheryOption({ type: 'http', deploymentUrl: 'https://example.com/mcp', configSchema }, ENTRY);
  assert.ok('draft' in option);
  return option.draft;
}
