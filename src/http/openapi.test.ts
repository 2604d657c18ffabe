import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { problemsOf } from '../../tests/support/http/openapi.ts';
import type { Capability } from '../capability.ts';
import { type Operation, operation } from '../operation.ts';
import { openApiOf } from './openapi.ts';

const NOTE = z.object({ id: z.string(), text: z.string() });

describe('the description of a route', () => {
  test('has the variables of the path as required parameters, and the other inputs of a read in the query', () => {
    const { get } = describeRoute('/shelves/:shelf/notes', 'GET', {
      shelf: z.string().describe('Which shelf.'),
      limit: z.int().min(1).default(10),
      words: z.array(z.string()),
      filter: z.object({ by: z.string() }).optional(),
    });

    assert.deepEqual(get?.parameters, [
      { name: 'shelf', in: 'path', required: true, description: 'Which shelf.', schema: { type: 'string' } },
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { default: 10, type: 'integer', minimum: 1 },
      },
      { name: 'words', in: 'query', required: true, schema: { type: 'array', items: { type: 'string' } } },
      {
        name: 'filter',
        in: 'query',
        required: false,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { by: { type: 'string' } },
              required: ['by'],
            },
          },
        },
      },
    ]);
    assert.equal(get?.requestBody, undefined);
  });

  test('has all other inputs of a write in its body', () => {
    const { put = {} } = describeRoute('/notes/:id', 'PUT', {
      id: z.string(),
      text: z.string(),
      tag: z.string().optional(),
    });

    assert.deepEqual(
      (put.parameters as { name: string }[]).map(({ name }) => name),
      ['id'],
    );
    assert.deepEqual(put.requestBody, {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { text: { type: 'string' }, tag: { type: 'string' } },
            required: ['text'],
            additionalProperties: false,
          },
        },
      },
    });
  });

  test('has its response, its scope and its errors', () => {
    const { delete: remove } = describeRoute('/notes/:id', 'DELETE', { id: z.string(), force: z.boolean().optional() });

    assert.partialDeepStrictEqual(remove, {
      operationId: 'notes_note',
      summary: 'notes note',
      description: 'About a note.',
      tags: ['notes'],
      'x-required-scope': 'notes:write',
      responses: {
        '200': { content: { 'application/json': { schema: { properties: { id: { type: 'string' } } } } } },
        default: { $ref: '#/components/responses/Error' },
      },
    });
    assert.equal(remove?.requestBody, undefined);
  });
});

test('methods of one path are listed together, and operations without a route are omitted', () => {
  const input = { id: z.string() };
  const document = openApiOf(
    [
      capability([
        route('/notes/:id', 'GET', input),
        route('/notes/:id', 'PUT', input),
        { ...route('/x', 'GET', {}), rest: undefined } as unknown as Operation,
      ]),
    ],
    '1.2.3',
  );

  const paths = document.paths as Record<string, object>;
  assert.deepEqual(Object.keys(paths).sort(), ['/events', '/notes/{id}']);
  assert.deepEqual(Object.keys(paths['/notes/{id}'] ?? {}), ['get', 'put']);
  assert.deepEqual(
    problemsOf(document).filter((problem) => !problem.includes('twice')),
    [],
  );
});

test('a recursive schema is resolved from every reference', () => {
  const document = openApiOf([capability([route('/trees', 'PUT', { tree: z.json() })])], '1.2.3');

  assert.match(JSON.stringify(document.paths), /#\/components\/schemas\/notes_note_input_/);
  assert.deepEqual(problemsOf(document), []);
});

function describeRoute(path: string, method: 'GET' | 'PUT' | 'DELETE', shape: z.ZodRawShape) {
  const document = openApiOf([capability([route(path, method, shape)])], '1.2.3');
  const [, item] = Object.entries(document.paths as object).find(([key]) => key !== '/events') ?? [];
  return item as Record<string, Record<string, unknown> | undefined>;
}

function route(path: string, method: 'GET' | 'PUT' | 'DELETE', shape: z.ZodRawShape): Operation {
  return operation({
    cli: { path: 'notes note' },
    rest: { method, path },
    kind: method === 'GET' ? 'query' : 'command',
    effect: method === 'GET' ? 'reads' : 'writes',
    description: 'About a note.',
    input: z.strictObject(shape),
    output: NOTE,
    run: async () => ({ id: '', text: '' }),
  });
}

function capability(operations: readonly Operation[]): Capability {
  return { name: 'notes', invalidInput: 'VALIDATION_ERROR', operations, parts: {} };
}
