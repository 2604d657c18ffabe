import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch } from '../../../src/chat/ports.ts';
import type { InboundMessage } from '../../../src/domain/chat.ts';
import { MINUTE, message, messageHands, START, said } from './message-samples.ts';
import type { Store } from './open-store.ts';

const PAGE = 500;

/** The order in which every database must keep messages, whatever their timestamps are. */
export function messageOrderContract(store: () => Store): void {
  const { record, say, find } = messageHands(store);

  async function recordPages(messages: readonly InboundMessage[], origin: Batch['origin']): Promise<void> {
    const pages = Array.from({ length: Math.ceil(messages.length / PAGE) }, (_, index) =>
      messages.slice(index * PAGE, (index + 1) * PAGE),
    );
    for (const page of origin === 'older' ? pages.reverse() : pages) await record(said(page), { origin });
  }

  async function idsInOrder(): Promise<string[]> {
    const { messages } = await store().messages.find({}, { limit: 10_000 });
    return messages.map(({ externalId }) => externalId).reverse();
  }

  for (const origin of ['live', 'newer', 'import', 'older'] as const) {
    test(`two thousand messages with the same timestamp keep their order, page by page (${origin})`, async () => {
      const messages = Array.from({ length: 2_000 }, (_, n) => message(`m${n}`, { at: START }));

      await recordPages(messages, origin);

      assert.deepEqual(
        await idsInOrder(),
        messages.map(({ id }) => id),
      );
    });
  }

  for (const origin of ['live', 'newer', 'import'] as const) {
    test(`repeated messages with the same timestamp do not let later ones come before (${origin})`, async () => {
      const messages = Array.from({ length: 9 }, (_, n) => message(`m${n}`, { at: START }));
      const batches = [messages.slice(0, 3), messages.slice(0, 6), messages.slice(2, 8), messages.slice(8)];

      for (const batch of batches) await record(said(batch), { origin });

      assert.deepEqual(
        await idsInOrder(),
        messages.map(({ id }) => id),
      );
    });
  }

  test('live messages and older ones fetched backwards later are in the right order', async () => {
    const second = (n: number) => START + Math.floor(n / 300) * 1_000;
    const messages = Array.from({ length: 2_000 }, (_, n) => message(`m${n}`, { at: second(n) }));

    await recordPages(messages.slice(1_250), 'live');
    await recordPages(messages.slice(0, 1_250), 'older');

    assert.deepEqual(
      await idsInOrder(),
      messages.map(({ id }) => id),
    );
  });

  test('after a burst with one timestamp, later timestamps are exact', async () => {
    const burst = Array.from({ length: 3_000 }, (_, n) => message(`m${n}`, { at: START }));
    await recordPages(burst, 'live');
    await say(message('later', { at: START + 1_000 }));

    assert.equal((await find({ since: START, before: START + 1 }, { limit: 10_000 })).length, 3_000);
    assert.deepEqual(await find({ since: START + 1 }), ['text of later']);
    assert.equal((await find({ before: START + 1_000 }, { limit: 10_000 })).length, 3_000);
    assert.deepEqual(await find({ before: START }), []);
  });

  test('timestamps out of range are stored as the nearest valid one', async () => {
    const moments = [Number.NaN, -1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 1e18, 0.5];

    await say(...moments.map((at, n) => message(`m${n}`, { at, editedAt: at })));

    const { messages } = await store().messages.find({}, { limit: 10 });
    assert.equal(messages.length, moments.length);
    for (const { at, id } of messages) {
      assert.ok(new Date(at).toISOString().length === 24);
      assert.ok(Number.isSafeInteger(Number(id)) && Number(id) > 0);
    }
    assert.equal((await find({ since: 0, before: START })).length, 3);
    assert.deepEqual(await store().messages.forgetBefore('irc', START + MINUTE), 3);
  });
}
