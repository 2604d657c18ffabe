import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { nameOf, type Operation, operation, rightOf } from './operation.ts';

const bare = operation({
  kind: 'query',
  effect: 'reads',
  description: '',
  input: z.strictObject({}),
  output: z.object({}),
  run: async () => ({}),
});

describe('an operation', () => {
  test('requires the scope of its effect, or the one it names', () => {
    const effects: Operation['effect'][] = ['reads', 'writes', 'sends', 'destroys'];

    assert.deepEqual(
      effects.map((effect) => rightOf({ ...bare, effect })),
      ['read', 'write', 'send', 'write'],
    );
    assert.equal(rightOf({ ...bare, effect: 'reads', right: 'manage' }), 'manage');
  });

  test('is named in logs and the audit log by its command, else its tool, else its URI', () => {
    const rest = { method: 'GET', path: '/status' } as const;
    const mcp = { name: 'get_status' };

    assert.equal(nameOf({ ...bare, rest, mcp, cli: { path: 'status' } }), 'status');
    assert.equal(nameOf({ ...bare, rest, mcp }), 'get_status');
    assert.equal(nameOf({ ...bare, rest }), '/status');
    assert.throws(() => nameOf(bare), /at least one door/);
  });
});
