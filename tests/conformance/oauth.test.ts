import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { refereeClient, requiredScenarios } from './referee.ts';

const PROGRAM = fileURLToPath(new URL('oauth-client.ts', import.meta.url));

for (const revision of ['2025-11-25', '2026-07-28']) {
  const required = (await requiredScenarios(revision, 'client')).filter((scenario) => scenario.startsWith('auth/'));

  describe(`the official conformance suite for clients with OAuth, ${revision}`, { concurrency: 2 }, () => {
    test('requires scenarios', () => {
      assert.ok(required.length >= 14);
    });

    for (const scenario of required) {
      test(`passes ${scenario}`, async (t) => {
        const folder = temporaryFolder((clean) => t.after(clean));

        const checks = await refereeClient(PROGRAM, scenario, revision, folder);

        const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
        assert.deepEqual(failed, []);
        assert.ok(
          checks.some(({ status }) => status === 'SUCCESS'),
          'no check passed',
        );
      });
    }
  });
}
