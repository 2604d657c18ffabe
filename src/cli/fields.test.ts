import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { operation } from '../operation.ts';
import { fieldsOf, type Schema, signatureOf } from './fields.ts';

function typesOf(schema: z.ZodObject): Record<string, unknown> {
  const fields = fieldsOf(schema.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Schema);
  return Object.fromEntries(fields.map(({ names, type }) => [names.join(' '), type]));
}

describe('fields of a command', () => {
  test('each type of the input schema has a form on the command line', () => {
    const types = typesOf(
      z.object({
        name: z.string(),
        file: z.string().meta({ format: 'path' }),
        limit: z.int().min(1).max(500),
        ratio: z.number().min(0),
        amount: z.int(),
        force: z.boolean(),
        kind: z.enum(['direct', 'group']),
        tls: z.union([z.literal('on'), z.literal('off')]),
        mixed: z.union([z.boolean(), z.literal('starttls')]),
        maybe: z.string().nullable(),
        headers: z.record(z.string(), z.string()),
        tags: z.array(z.string()),
        ids: z.union([z.string(), z.array(z.string())]),
        grid: z.array(z.array(z.int())),
        when: z.date(),
      }),
    );

    assert.deepEqual(types, {
      name: { kind: 'text' },
      file: { kind: 'path' },
      limit: { kind: 'number', whole: true, min: 1, max: 500 },
      ratio: { kind: 'number', whole: false, min: 0 },
      amount: { kind: 'number', whole: true },
      force: { kind: 'flag' },
      kind: { kind: 'choice', values: ['direct', 'group'] },
      tls: { kind: 'choice', values: ['on', 'off'] },
      mixed: { kind: 'json', orText: true },
      maybe: { kind: 'text' },
      headers: { kind: 'json', orText: false },
      tags: { kind: 'list', of: { kind: 'text' } },
      ids: { kind: 'list', of: { kind: 'text' }, isWhole: true },
      grid: { kind: 'list', of: { kind: 'json', orText: false } },
      when: { kind: 'json', orText: false },
    });
  });

  test('a nested field has a short name unless another field has that name', () => {
    const types = typesOf(
      z.object({ name: z.string(), filter: z.object({ name: z.string(), chat_type: z.string() }).optional() }),
    );

    assert.deepEqual(Object.keys(types), ['name', 'filter.name', 'chat-type filter.chat-type']);
  });

  test('a nested field is required only if its parent is', () => {
    const inner = z.object({ host: z.string() });

    const fields = fieldsOf(
      z.object({ imap: inner, smtp: inner.optional() }).toJSONSchema({ io: 'input' }) as unknown as Schema,
    );

    assert.deepEqual(
      fields.map(({ names, required }) => [names[0], required]),
      [
        ['imap.host', true],
        ['smtp.host', false],
      ],
    );
  });

  test('a field with the name of a global option is a bug', () => {
    const schema = z.object({ json: z.string() }).toJSONSchema() as unknown as Schema;

    assert.throws(() => fieldsOf(schema), /--json belongs to every command/);
  });

  test('a positional that is not a field is a bug', () => {
    const broken = operation({
      cli: { path: 'db backup', positionals: ['path'] },
      kind: 'command',
      effect: 'writes',
      description: 'Copies.',
      input: z.object({}),
      output: z.object({}),
      run: async () => ({}),
    });

    assert.throws(() => signatureOf(broken), /db backup: there is no input field path/);
  });
});
