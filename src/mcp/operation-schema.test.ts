import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { addNote, listNotes } from '../../tests/support/cli/operations.ts';
import { operation } from '../operation.ts';
import { computeSchemas, schemasOf } from './operation-schema.ts';

describe('the JSON Schemas of an operation', () => {
  test('are objects at the root and name no dialect, which older clients fail on', () => {
    for (const { input, output } of [addNote, listNotes].map(computeSchemas)) {
      for (const schema of [input, output]) {
        assert.equal(schema.type, 'object');
        assert.ok(!('$schema' in schema));
        assert.doesNotMatch(JSON.stringify(schema), /json-schema\.org/);
      }
    }
  });

  test('of the input do not require a field with a default', () => {
    const both = z.object({ size: z.int().default(3) });
    const sized = operation({
      mcp: { name: 'sized' },
      kind: 'query',
      effect: 'reads',
      description: '',
      input: both,
      output: both,
      run: async (input) => input,
    });

    const { input } = computeSchemas(sized);

    assert.equal(input.required, undefined);
  });

  test('of the output match a result as well as an error: older clients check both', () => {
    const { output } = computeSchemas(listNotes);
    const fits = (value: unknown) => !('issues' in Object(fromJsonSchema(output)['~standard'].validate(value)));

    assert.ok(fits({ notes: [] }));
    assert.ok(fits({ error: { code: 'NOT_FOUND', message: 'There is none.' } }));
    assert.ok(!fits({ notes: 'none' }));
  });

  test('refuse unknown fields where the operation does', () => {
    assert.equal(computeSchemas(addNote).input.additionalProperties, false);
  });

  test('are created once', () => {
    assert.equal(schemasOf(addNote), schemasOf(addNote));
  });
});
