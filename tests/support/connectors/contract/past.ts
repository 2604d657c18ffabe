import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../mcp/shim-program.ts';
import type { World } from '../contract.ts';
import { needed, numbered, stageFor } from './stage.ts';

const OLD = process.env.SOAK ? 12_000 : 450;
/** Some servers read their whole archive for each page. */
const PATIENCE_MS = process.env.SOAK ? 900_000 : 120_000;
const BUDGET = 50;

export function pastBehaviours(start: () => Promise<World>): void {
  describe('history', () => {
    const stage = stageFor(start);
    const old = (texts: readonly string[]) => texts.filter((text) => text.startsWith('old '));

    test(`the history of the network is fetched: within the budget, then completely, also while messages arrive`, async () => {
      const { world } = stage;
      const count = Math.min(OLD, world.keeps ?? OLD);
      const wanted = numbered('old', count);
      await needed(world.writeOld)(count);

      const thrifty = await stage.connect({ history: { days: 30, messages: BUDGET } });
      await thrifty.arrived(world.chats.group, `old ${count - 1}`);
      await thrifty.historySettled();
      const few = old(await thrifty.texts(world.chats.group));
      await thrifty.stop();

      // Some entries of the history are not messages.
      assert.ok(few.length > Math.min(BUDGET, count) / 2, 'too few messages were fetched');
      assert.ok(few.length <= BUDGET, 'more messages were fetched than the budget allows');
      assert.deepEqual(few, wanted.slice(-few.length));

      const all = await stage.connect();
      await all.isState('connected');
      const talk = numbered('meanwhile', 20);
      for (const text of talk) await world.peer.say('group', text);
      await all.arrived(world.chats.group, 'meanwhile 19');
      await until('all is there', async () => (await all.view()).historyComplete === true, PATIENCE_MS);

      const texts = await all.texts(world.chats.group);
      assert.deepEqual(old(texts), wanted);
      assert.deepEqual(
        texts.filter((text) => text.startsWith('meanwhile ')),
        talk,
      );
      const { historyBackTo, messages } = await all.view();
      assert.ok(messages >= count);
      assert.ok(historyBackTo !== undefined && historyBackTo <= Date.now());
    });
  });
}
