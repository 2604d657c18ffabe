import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { definitionOf, engineOn } from '../../../tests/support/chat/fake-engine.ts';
import { createFakeNetwork } from '../../../tests/support/chat/fake-network.ts';
import { notSent } from '../../../tests/support/connectors/outcomes.ts';
import { until } from '../../../tests/support/mcp/shim-program.ts';
import { silentLog } from '../../../tests/support/operation-context.ts';
import type { Store } from '../../../tests/support/store/open-store.ts';
import { openStore } from '../../../tests/support/store/open-store.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Engine } from './engine.ts';

describe('a source in the engine', () => {
  let store: Store;
  let engine: Engine;
  const now = Date.now();

  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
    engine = engineOn(store);
    await engine.start();
  });
  afterEach(async () => {
    await engine.stop();
    await store.close();
  });

  test('CHAT-05 is connected only once its network was reached', async () => {
    const network = createFakeNetwork();
    network.refuseNext('The password is wrong.');

    await engine.apply([definitionOf(network)]);
    await until('the source is rejected', async () => (await engine.find('net'))?.state === 'rejected');
    const refused = await engine.find('net');
    engine.live('net')?.retry();
    await until('the source is connected', async () => (await engine.find('net'))?.isConnected === true);

    assert.equal(refused?.isConnected, false);
    assert.equal(refused?.problem, 'The password is wrong.');
    assert.equal(refused?.everSynced, false);
    assert.equal((await engine.find('net'))?.problem, undefined);
  });

  test('is listed without reading the store, which every call over all sources would have to wait for', async () => {
    const unread = new Proxy(store.messages, {
      get: () => () => assert.fail('the store was read'),
    });
    const lister = engineOn({ ...store, messages: unread });
    await lister.apply([{ ...definitionOf(createFakeNetwork()), id: 'zulu' }, definitionOf(createFakeNetwork())]);

    const listed = await lister.list();

    assert.deepEqual(listed, [
      { id: 'net', kind: 'fake', name: 'Net', isConnected: false },
      { id: 'zulu', kind: 'fake', name: 'Net', isConnected: false },
    ]);
  });

  test('reports whether its network was not reached or the connection was lost', async () => {
    const network = createFakeNetwork();
    const problems = new Set<string | undefined>();
    network.refuseNext(new Error('no route'));

    await engine.apply([definitionOf(network)]);
    engine.live('net')?.onChange(() => problems.add(engine.live('net')?.problem()));
    await until('the source is connected', async () => (await engine.find('net'))?.isConnected === true);
    network.cut();
    await until('three connections were opened', async () => network.opened() === 3);

    assert.deepEqual(
      [...problems],
      ['Its network cannot be reached at the moment.', undefined, 'The connection was lost.'],
    );
  });

  test('stores the history of its network, then live messages', async () => {
    const network = createFakeNetwork();
    for (let index = 0; index < 450; index++) await network.say(`old ${index}`, now - 100_000 + index);

    await engine.apply([definitionOf(network)]);
    await until('the history is complete', async () => (await engine.find('net'))?.historyComplete === true);
    await network.say('live', now);

    assert.equal((await engine.find('net'))?.messages, 451);
    assert.deepEqual(await texts(3), ['live', 'old 449', 'old 448']);
  });

  test('stores all messages exactly once after a disconnect', async () => {
    const network = createFakeNetwork();
    await network.say('first', now - 10_000);
    await engine.apply([definitionOf(network)]);
    await until('1 message is stored', async () => (await engine.find('net'))?.messages === 1);
    await network.say('second', now - 9_000);

    network.cut();
    for (let index = 0; index < 250; index++) await network.say(`missed ${index}`, now - 8_000 + index);
    await until('252 messages are stored', async () => (await engine.find('net'))?.messages === 252);
    await engine.stop();
    await network.say('while stopped', now - 1_000);
    await engine.start();
    await until('253 messages are stored', async () => (await engine.find('net'))?.messages === 253);

    assert.deepEqual(await texts(2), ['while stopped', 'missed 249']);
    assert.equal(network.asked.filter(({ direction }) => direction === 'older').length, 1);
  });

  test('emits events for missed messages, but not for history', async () => {
    const network = createFakeNetwork();
    await network.say('old', now - 20_000);
    await engine.apply([definitionOf(network)]);
    await until('1 message is stored', async () => (await engine.find('net'))?.messages === 1);
    await network.say('live', now - 10_000);

    await engine.stop();
    await network.say('missed', now - 9_000);
    await engine.start();
    await until('3 messages are stored', async () => (await engine.find('net'))?.messages === 3);
    await engine.stop();
    network.forget();
    await network.say('missed, and its place forgotten', now - 8_000);
    await engine.start();
    await until('4 messages are stored', async () => (await engine.find('net'))?.messages === 4);

    const told = await store.events.read(0, { types: ['message.received'] });
    assert.deepEqual(
      told.map(({ data }) => data.content),
      ['live', 'missed', 'missed, and its place forgotten'],
    );
  });

  test('closes the gap backwards if the network lost the cursor', async () => {
    const network = createFakeNetwork();
    await network.say('first', now - 10_000);
    await engine.apply([definitionOf(network)]);
    await until('1 message is stored', async () => (await engine.find('net'))?.messages === 1);

    network.cut();
    network.forget();
    for (let index = 0; index < 450; index++) await network.say(`missed ${index}`, now - 8_000 + index);
    await until('451 messages are stored', async () => (await engine.find('net'))?.messages === 451);

    assert.deepEqual(await texts(1), ['missed 449']);
  });

  test('has a complete history even if a message arrives while the last page is stored', async (context) => {
    const network = createFakeNetwork();
    for (let index = 0; index < 250; index++) await network.say(`old ${index}`, now - 100_000 + index);
    const said: Promise<void>[] = [];
    const busy = engineOn({
      ...store,
      messages: {
        ...store.messages,
        record(batch) {
          const recorded = store.messages.record(batch);
          if (batch.origin === 'older' && batch.timeline?.complete && said.length === 0) {
            said.push(network.say('meanwhile', now));
          }
          return recorded;
        },
      },
    });
    context.after(() => busy.stop());
    await busy.start();

    await busy.apply([definitionOf(network)]);
    await until('a message arrived during the write', async () => said.length > 0);
    await Promise.all(said);
    await busy.live('net')?.historySettled();
    const view = await busy.find('net');
    const [timeline] = await store.messages.timelines('net');

    assert.equal(view?.historyComplete, true);
    assert.deepEqual([timeline?.oldest, timeline?.newest], ['0', '250']);
  });

  test('fetches no more history than configured', async () => {
    const network = createFakeNetwork();
    for (let index = 0; index < 1_000; index++) await network.say(`old ${index}`, now - 100_000 + index);

    await engine.apply([{ ...definitionOf(network), history: { days: 365, messages: 300 } }]);
    await until('300 messages are stored', async () => (await engine.find('net'))?.messages === 300);
    await engine.live('net')?.historySettled();

    assert.equal((await engine.find('net'))?.messages, 300);
    assert.equal((await engine.find('net'))?.historyComplete, false);
  });

  test('remains connected when other sources change, and reconnects when its own definition changes', async () => {
    const [network, other] = [createFakeNetwork(), createFakeNetwork()];
    await engine.apply([definitionOf(network)]);
    await until('the source is connected', async () => (await engine.find('net'))?.isConnected === true);

    await engine.apply([definitionOf(network), { ...definitionOf(other), id: 'other' }]);
    const before = network.opened();
    await engine.apply([{ ...definitionOf(network), fingerprint: 'changed' }]);
    await until('the source is connected', async () => (await engine.find('net'))?.isConnected === true);

    assert.equal(before, 1);
    assert.equal(network.opened(), 2);
    assert.equal(await engine.find('other'), undefined);
  });

  test('is the first of two definitions with the same id', async () => {
    const [network, other] = [createFakeNetwork(), createFakeNetwork()];
    const both = [definitionOf(network), { ...definitionOf(other), name: 'Other', fingerprint: 'other' }];

    await engine.apply(both);
    await engine.apply(both);
    await until('it is connected', async () => (await engine.find('net'))?.isConnected === true);

    assert.equal((await engine.find('net'))?.name, 'Net');
    assert.deepEqual([network.opened(), other.opened()], [1, 0]);
  });

  test('reports since when it is stale after it was stopped', async () => {
    const network = createFakeNetwork();
    await network.say('first', now);
    await engine.apply([definitionOf(network)]);
    await until('1 message is stored', async () => (await engine.find('net'))?.messages === 1);

    await engine.stop();
    const source = await engine.find('net');

    assert.equal(source?.isConnected, false);
    assert.ok((source?.staleSince ?? 0) >= now);
    assert.equal(source?.everSynced, true);
  });

  test('sends through its connection, and returns not-sent without one', async () => {
    const network = createFakeNetwork();
    await engine.apply([definitionOf(network)]);
    await until('the source is connected', async () => (await engine.find('net'))?.isConnected === true);

    const sent = await engine.send('net', { id: 'o1', chat: '#x', text: 'hello' });
    await engine.stop();

    assert.deepEqual(sent, { kind: 'sent', id: 'sent-hello' });
    assert.equal(notSent(await engine.send('net', { id: 'o2', chat: '#x', text: 'x' })).retry, true);
  });

  test('delays a message until it is connected, and accepts none after it was removed', async () => {
    const network = createFakeNetwork();
    await engine.apply([definitionOf(network)]);

    const sent = await engine.send('net', { id: 'o1', chat: '#x', text: 'early' });
    await engine.apply([]);

    assert.deepEqual(sent, { kind: 'sent', id: 'sent-early' });
    assert.equal(notSent(await engine.send('net', { id: 'o2', chat: '#x', text: 'x' })).retry, false);
  });

  test('recognises an address of its network, also while disconnected', async () => {
    const network = createFakeNetwork();
    network.refuseNext('The password is wrong.');
    await engine.apply([definitionOf(network)]);

    const addresses = [await engine.addressOf('net', '@Ann'), await engine.addressOf('net', 'x')];

    assert.deepEqual([...addresses, await engine.addressOf('none', '@Ann')], ['@ann', undefined, undefined]);
  });

  test('deletes messages that are older than keep_days', async () => {
    const network = createFakeNetwork();
    await network.say('old', now - 3 * 24 * 3_600_000);
    await network.say('new', now);
    await engine.apply([definitionOf(network)]);
    await until('2 messages are stored', async () => (await engine.find('net'))?.messages === 2);

    await engine.apply([{ ...definitionOf(network), keepDays: 2, fingerprint: 'two' }]);
    await until('the old message is deleted', async () => (await engine.find('net'))?.messages === 1);
    await until('it is connected again', async () => (await engine.find('net'))?.isConnected === true);
    await network.say('late', now - 4 * 24 * 3_600_000);
    await until('2 messages are stored', async () => (await engine.find('net'))?.messages === 2);
    await engine.tidy();

    assert.deepEqual(await texts(5), ['new']);
  });

  async function texts(limit: number): Promise<string[]> {
    const { messages } = await store.messages.find({ sources: ['net'] }, { limit });
    return messages.map(({ text }) => text);
  }
});
