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

/** Counts up to three on request. */
const count = operation({
  cli: {
    path: 'count',
  },
  kind: 'query',
  effect: 'reads',
  description: 'Counts.',
  input: z.strictObject({ on: z.boolean().default(false) }),
  output: z.object({ at: z.int() }),
  run: async () => ({ at: 1 }),
  follow: {
    isWanted: ({ on }) => on,
    async *stream() {
      for (const at of [1, 2, 3]) yield { at };
    },
    resume: (input) => input,
  },
});

describe('short options', () => {
  test('are equivalent to long ones', async () => {
    const { code, stdout } = await runCli(['tail', '-n', '3', '-f', '--json'], { operations: [tail] });

    assert.deepEqual([code, JSON.parse(stdout)], [0, { lines: 3, force: true }]);
  });

  test('take a number without a space', async () => {
    const { code, stdout } = await runCli(['tail', '-n20', '--json'], { operations: [tail] });

    assert.deepEqual([code, JSON.parse(stdout)], [0, { lines: 20, force: false }]);
  });

  test('are refused if the letter is unknown', async () => {
    const { code, stderr } = await runCli(['tail', '-x', '3'], { operations: [tail] });

    assert.equal(code, 2);
    assert.match(stderr, /tail has no option "-x"/);
  });

  test('are in the help', async () => {
    const { stdout } = await runCli(['tail', '--help'], { operations: [tail] });

    assert.match(stdout, /-n, --lines N +How many\./);
  });
});

test('a command that follows shows each output until the stream ends', async () => {
  const { code, stdout } = await runCli(['count', '--on', '--json'], { operations: [count] });
  const once = await runCli(['count', '--json'], { operations: [count] });

  assert.deepEqual([code, stdout.trim().split('\n')], [0, ['{"at":1}', '{"at":2}', '{"at":3}']]);
  assert.equal(once.stdout, '{"at":1}\n');
});
