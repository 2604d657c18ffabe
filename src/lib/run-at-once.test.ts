import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce, runWithModule } from './run-at-once.ts';

const LIMITS = { timeoutMs: 10_000, maxBytes: 100_000 };

for (const [name, run] of [
  ['as this Node does it', runAtOnce],
  ['as every Node does it', runWithModule],
] as const) {
  describe(`a program that is run at once, ${name}`, () => {
    test('its output and exit code are told, and arguments reach it as they are', () => {
      const { status, stdout, failure } = run(
        'sh',
        ['-c', 'printf "%s|" "$@"; exit 3', 'sh', 'a b', '$x', 'é'],
        LIMITS,
      );

      assert.deepEqual([status, stdout, failure], [3, 'a b|$x|é|', undefined]);
    });

    test('it gets our environment, an empty input, and nobody hears its errors', () => {
      const { stdout } = run('sh', ['-c', 'cat; echo lost >&2; printf %s "$PATH"'], LIMITS);

      assert.equal(stdout, process.env.PATH);
    });

    test('that it is not there, takes too long or says too much is told apart', () => {
      const missing = run('no-such-program-here', [], LIMITS);
      const slow = run('sleep', ['60'], { ...LIMITS, timeoutMs: 50 });
      const loud = run('sh', ['-c', 'head -c 200000 /dev/zero'], LIMITS);

      assert.deepEqual([missing.failure, slow.failure, loud.failure], ['ENOENT', 'ETIMEDOUT', 'ENOBUFS']);
    });
  });
}
