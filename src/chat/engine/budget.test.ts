import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { definitionOf, startEngine } from '../../../tests/support/chat/fake-engine.ts';
import { createFakeNetwork, messageOf } from '../../../tests/support/chat/fake-network.ts';
import { until } from '../../../tests/support/mcp/shim-program.ts';
import type { Connection, HistoryRequest, Host } from '../../connectors/connector.ts';
import type { Engine } from './engine.ts';

const DAY = 24 * 3_600_000;

describe('the history budget', () => {
  const now = Date.now();

  test('limits the number of messages exactly; a larger budget fetches more', async (context) => {
    const { engine } = await startEngine(context);
    const network = withOld(400);

    const counts: number[] = [];
    for (const messages of [30, 30, 250, 1_000])
      counts.push(await fetchedWith(engine, network, { days: 365, messages }));

    assert.deepEqual(counts, [30, 30, 250, 400]);
    assert.equal((await engine.find('net'))?.historyComplete, true);
  });

  test('of 0 fetches no history; live and missed messages are stored', async (context) => {
    const { engine } = await startEngine(context);
    const network = withOld(10);

    const before = await fetchedWith(engine, network, { days: 365, messages: 0 });
    await network.say('live', now);
    await engine.stop();
    await network.say('missed', now);
    await engine.start();
    await until('the missed message is stored', async () => (await engine.find('net'))?.messages === 2);

    assert.equal(before, 0);
    assert.equal((await engine.find('net'))?.historyComplete, false);
    assert.equal(await fetchedWith(engine, network, { days: 365, messages: 100 }), 12);
  });

  test('excludes messages that are too old, however often the source is connected', async (context) => {
    const { engine } = await startEngine(context);
    const network = createFakeNetwork();
    for (let n = 0; n < 600; n++) network.log.push(messageOf(`old ${n}`, now - 30 * DAY + n));
    for (let n = 0; n < 100; n++) network.log.push(messageOf(`new ${n}`, now - DAY + n));

    const counts: number[] = [];
    for (let times = 0; times < 4; times++) {
      counts.push(await fetchedWith(engine, network, { days: 7, messages: 10_000 }));
      await engine.apply([]);
    }

    assert.deepEqual(counts, [100, 100, 100, 100]);
    assert.equal(await fetchedWith(engine, network, { days: 60, messages: 10_000 }), 700);
  });

  test('is not ended by a message with a wrong timestamp', async (context) => {
    for (const place of [299, 199]) {
      const { engine } = await startEngine(context);
      const network = withOld(300);
      network.log[place] = messageOf('of a clock that stands', 1_000);

      const count = await fetchedWith(engine, network, { days: 365, messages: 1_000 });

      assert.equal(count, 300);
    }
  });

  test('is not reduced by messages that are already stored', async (context) => {
    const { engine } = await startEngine(context);
    const network = withOld(1_000);
    await fetchedWith(engine, network, { days: 365, messages: 0 });
    for (let n = 0; n < 300; n++) await network.say(`live ${n}`, now + n);

    const count = await fetchedWith(engine, network, { days: 365, messages: 400 });

    assert.equal(count, 400);
  });

  test('needs few requests, even with many other events between the messages', async (context) => {
    const { engine } = await startEngine(context);
    const network = withOld(300);
    for (let n = 0; n < 2_000; n++) network.log.push({ kind: 'chat', chat: { id: '#x', participantCount: n } });
    for (let n = 0; n < 99; n++) network.log.push(messageOf(`new ${n}`, now - 1_000 + n));

    const count = await fetchedWith(engine, network, { days: 365, messages: 100 });

    assert(count >= 100);
    assert(network.asked.length < 30, `${network.asked.length} requests`);
  });

  test('of 0 still applies edits and deletions among the missed events', async (context) => {
    const { engine, store } = await startEngine(context);
    const network = createFakeNetwork();
    await store.sources.remember('net', 'engine.seen_at', String(now - 5_000));
    network.log.push(
      messageOf('secret', now - 2_000),
      { kind: 'edit', chat: '#x', message: 'secret', text: 'fixed', at: now - 1_000 },
      messageOf('oops', now - 900),
      { kind: 'delete', chat: '#x', message: 'oops', at: now - 800 },
    );

    await fetchedWith(engine, network, { days: 365, messages: 0 });

    const { messages } = await store.messages.find({}, { limit: 10 });
    assert.deepEqual(
      messages.map(({ text }) => text),
      ['', 'fixed'],
    );
  });

  test('of direct chats does not depend on rooms with their own timeline', async (context) => {
    const { engine } = await startEngine(context);
    const account = withAccount({ room: 400, direct: 400 });

    const count = await fetchedWith(engine, account, { days: 365, messages: 250 });

    assert.equal(count, 500);
  });

  function withOld(count: number) {
    const network = createFakeNetwork();
    for (let n = 0; n < count; n++) network.log.push(messageOf(`old ${n}`, now - DAY + n));
    return network;
  }

  /** Connects with this budget; returns the number of stored messages once the history is fetched. */
  async function fetchedWith(
    engine: Engine,
    network: { open(host: Host): Promise<Connection> },
    history: { days: number; messages: number },
  ): Promise<number> {
    await engine.apply([{ ...definitionOf(network), history, fingerprint: JSON.stringify(history) }]);
    await until('it is connected', async () => (await engine.find('net'))?.isConnected === true);
    await engine.live('net')?.historySettled();
    return (await engine.find('net'))?.messages ?? 0;
  }
});

/** A network with two timelines: one of a room, and one of all direct chats. */
function withAccount(counts: { room: number; direct: number }) {
  const past = (chat: string, count: number) =>
    Array.from({ length: count }, (_, n) => {
      const event = messageOf(`${chat} ${n}`, Date.now() - DAY + n);
      return event.kind === 'message' ? { ...event, message: { ...event.message, chat: { id: chat } } } : event;
    });
  const logs = { room: past('#x', counts.room), account: past('ann', counts.direct) };
  return {
    async open(host: Host): Promise<Connection> {
      return {
        async run(signal) {
          host.connected([{ id: 'room', chat: '#x' }, { id: 'account' }]);
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          return undefined;
        },
        async history({ timeline, direction, from, limit }: HistoryRequest) {
          if (direction === 'newer') return { kind: 'page', events: [], end: true };
          const log = timeline === 'room' ? logs.room : logs.account;
          const end = from === undefined ? log.length : Number(from);
          const start = Math.max(0, end - limit);
          return {
            kind: 'page',
            events: log.slice(start, end),
            oldest: String(start),
            newest: String(end - 1),
            end: start === 0,
          };
        },
      };
    },
  };
}
