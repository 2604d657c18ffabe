import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createFixtureRegistry } from './fixture-registry.ts';
import { type Check, referee, requiredScenarios } from './referee.ts';
import { OWNER_TOKEN, serveFixture } from './serve.ts';
import { startTokenProxy } from './token-proxy.ts';

const REVISIONS = [
  { revision: '2025-11-25', required: await requiredScenarios('2025-11-25'), count: 30 },
  { revision: '2026-07-28', required: await requiredScenarios('2026-07-28'), count: 37 },
];

for (const { revision, required, count } of REVISIONS) {
  describe(`the official conformance suite for ${revision}`, () => {
    let results = new Map<string, Check[]>();
    let close = async () => {};
    const folder = temporaryFolder(after);

    before(async () => {
      const served = await serveFixture(createFixtureRegistry().registry);
      const proxy = await startTokenProxy(served.url, OWNER_TOKEN);
      close = async () => {
        await proxy.close();
        await served.close();
      };
      results = await referee(`${proxy.url}/mcp`, revision, folder);
    });

    after(() => close());

    test(`CORE-01 ${revision} requires ${count} scenarios, and all of them ran`, () => {
      assert.equal(required.length, count);
      assert.deepEqual(
        required.filter((scenario) => !results.has(scenario)),
        [],
      );
    });

    for (const scenario of required) {
      test(`CORE-01 ${revision} passes ${scenario}`, () => {
        const checks = results.get(scenario) ?? [];

        const passed = checks.filter(({ status }) => status === 'SUCCESS');
        const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');

        assert.deepEqual(failed, []);
        assert.ok(passed.length > 0, 'no check passed');
      });
    }
  });
}
