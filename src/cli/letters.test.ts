import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { runCli } from '../../tests/support/cli/run-cli.ts';
import { operation } from '../operation.ts';

const tail = operation({
  cli: { path: 'tail', letters: { n: 'lines', f: 'force' } },
  kind: 'query',
  effect: 'reads',
  description: 'The last lines.',
  input: z.strictObject({ lines: z.int().default(10).describe('How many.'), force: z.boolean().default(false) }),
  output: z.object({ lines: z.int(), force: z.boolean() }),
  run: async (input) => input,
});

/** Counts up to three, asking again after each. */
const count = operation({
  cli: {
    path: 'count',
    next: (_, { at }) => (at < 3 ? { from: at + 1 } : undefined),
    isNews: ({ at }) => at !== 2,
  },
  kind: 'query',
  effect: 'reads',
  description: 'Counts.',
  input: z.strictObject({ from: z.int().default(1) }),
  output: z.object({ at: z.int() }),
  run: async ({ from }) => ({ at: from }),
});

describe('short options', () => {
  test('stand for long ones', async () => {
    const { code, stdout } = await runCli(['tail', '-n', '3', '-f', '--json'], { operations: [tail] });

    assert.deepEqual([code, JSON.parse(stdout)], [0, { lines: 3, force: true }]);
  });

  test('are refused where there are none of that letter', async () => {
    const { code, stderr } = await runCli(['tail', '-x', '3'], { operations: [tail] });

    assert.equal(code, 2);
    assert.match(stderr, /tail has no option "-x"/);
  });

  test('are in the help', async () => {
    const { stdout } = await runCli(['tail', '--help'], { operations: [tail] });

    assert.match(stdout, /-n, --lines N +How many\./);
  });
});

test('a command that goes on shows what is new until there is nothing more to ask', async () => {
  const { code, stdout } = await runCli(['count', '--json'], { operations: [count] });

  assert.deepEqual([code, stdout.trim().split('\n')], [0, ['{"at":1}', '{"at":3}']]);
});
