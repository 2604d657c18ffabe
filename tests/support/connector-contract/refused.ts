import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { World } from '../connector-contract.ts';
import { stageFor } from './stage.ts';

export function refusedBehaviours(start: () => Promise<World>): void {
  describe('when the network refuses it', () => {
    const stage = stageFor(start);

    test('a wrong password is told in our words, and not tried again and again', async (context) => {
      const { wrongSettings } = stage.world;
      if (!wrongSettings) return context.skip('this network asks for no password');

      const station = await stage.connect({ settings: wrongSettings });
      await station.isState('rejected');

      const { isConnected, problem } = await station.view();
      assert.equal(isConnected, false);
      assert.match(problem ?? '', /^[A-Z].*\.$/);
      assert.equal(station.opened(), 1);
    });
  });
}
