import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce, runWithModule } from './run-at-once.ts';

const LIMITS = { timeoutMs: 10_000, maxBytes: 100_000 };

for (const [name, run] of [
  ['as this Node does it', runAtOnce],
  ['as every Node does it', runWithModule],
] as const) {
  describe(`a program that is run synchronously, ${name}`, () => {
    test('returns its output and exit code, and gets its arguments unchanged', () => {
      const { status, stdout, failure } = run(
        'sh',
        ['-c', 'printf "%s|" "$@"; exit 3', 'sh', 'a b', '$x', 'é'],
        LIMITS,
      );

      assert.deepEqual([status, stdout, failure], [3, 'a b|$x|é|', undefined]);
    });

    test('gets our environment and an empty input, and its stderr is discarded', () => {
      const { stdout } = run('sh', ['-c', 'cat; echo lost >&2; printf %s "$PATH"'], LIMITS);

      assert.equal(stdout, process.env.PATH);
    });

    test('a missing program, a timeout and too much output are distinguished', () => {
      const missing = run('no-such-program-here', [], LIMITS);
      const slow = run('sleep', ['60'], { ...LIMITS, timeoutMs: 50 });
      const loud = run('sh', ['-c', 'head -c 200000 /dev/zero'], LIMITS);

      assert.deepEqual([missing.failure, slow.failure, loud.failure], ['ENOENT', 'ETIMEDOUT', 'ENOBUFS']);
    });
  });
}
