import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { World } from '../contract.ts';
import { needed, stageFor } from './stage.ts';

export function refusedBehaviours(start: () => Promise<World>): void {
  describe('when the network refuses it', () => {
    const stage = stageFor(start);

    test('a wrong password is reported with our own text, and not retried', async () => {
      const settings = needed(stage.world.wrongSettings);

      const connection = await stage.connect({ settings });
      await connection.isState('rejected');

      const { isConnected, problem } = await connection.view();
      assert.equal(isConnected, false);
      assert.match(problem ?? '', /^[A-Z].*\.$/);
      assert.equal(connection.opened(), 1);
    });
  });
}
