import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { definitionOf, engineOn } from '../../../tests/support/chat/fake-engine.ts';
import { createFakeNetwork, LOST, messageOf } from '../../../tests/support/chat/fake-network.ts';
import { until } from '../../../tests/support/mcp/shim-program.ts';
import { silentLog } from '../../../tests/support/operation-context.ts';
import type { Store } from '../../../tests/support/store/open-store.ts';
import { openStore } from '../../../tests/support/store/open-store.ts';
import type { Host } from '../../connectors/connector.ts';
import { AppError } from '../../domain/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Batch } from '../ports.ts';
import type { Engine } from './engine.ts';

const HOUR = 3_600_000;
const never = new Promise<never>(() => {});

describe('a source with failures', () => {
  let store: Store;
  let engine: Engine;
  /** Called before a batch is recorded; if it throws, nothing is recorded. */
  let beforeRecord: (batch: Batch) => Promise<void> | void;
  const now = Date.now();

  beforeEach(async () => {
    beforeRecord = () => {};
    store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
    const record = async (batch: Batch) => {
      await beforeRecord(batch);
      return store.messages.record(batch);
    };
    engine = engineOn({ ...store, messages: { ...store.messages, record } });
    await engine.start();
  });
  afterEach(async () => {
    await engine.stop();
    await store.close();
  });

  test('reconnects even if the network never answered a history request', async () => {
    const network = createFakeNetwork();
    await network.say('old', now - HOUR);
    network.onAsked(() => never);
    await engine.apply([definitionOf(network)]);
    await until('history is requested', () => network.asked.length === 1);

    network.onAsked(() => {});
    network.cut();

    await has(['old']);
    assert.equal(network.opened(), 2);
  });

  test('closes a gap although the connection was lost while closing it', async () => {
    const network = await withGap();
    network.onAsked(({ from }) => {
      if (from === undefined) return;
      network.onAsked(() => {});
      network.cut();
      return never;
    });

    network.cut();

    await until('all messages are stored', async () => (await engine.find('net'))?.messages === 451);
  });

  test('closes a gap while many live messages arrive', async () => {
    const network = await withGap();
    network.onAsked(async ({ direction }) => {
      if (direction === 'newer') return;
      network.onAsked(() => {});
      for (let index = 0; index < 300; index++) await network.say(`live ${index}`, Date.now());
    });

    network.cut();

    await until('all messages are stored', async () => (await engine.find('net'))?.messages === 751);
  });

  test('fetches a live message that could not be stored, and the ones after it', async () => {
    const network = createFakeNetwork();
    await network.say('first', now - HOUR);
    await engine.apply([definitionOf(network)]);
    await engine.live('net')?.historySettled();
    await has(['first']);
    failOnce('live');

    const lost = network.say('second', now - 2_000);
    const after = network.say('third', now - 1_000);

    await assert.rejects(lost, { code: 'SERVICE_UNAVAILABLE' });
    await assert.rejects(after);
    await has(['third', 'second', 'first']);
  });

  test('fetches history again if it could not be stored', async () => {
    const network = createFakeNetwork();
    await network.say('old', now - HOUR);
    failOnce('older');

    await engine.apply([definitionOf(network)]);

    await has(['old']);
    assert.equal(network.opened(), 2);
  });

  test('has a complete history even if a live message arrives while the last page is stored', async () => {
    const network = createFakeNetwork();
    for (let index = 0; index < 250; index++) await network.say(`old ${index}`, now - HOUR + index);
    let talk: Promise<void> | undefined;
    const isComplete = async () => (await store.messages.timelines('net'))[0]?.complete === true;
    beforeRecord = async ({ origin, timeline }) => {
      if (timeline?.complete && origin === 'older') talk = network.say('meanwhile', now);
      if (origin === 'live') await until('the last page is stored', isComplete);
    };

    await engine.apply([definitionOf(network)]);
    await until('all messages are stored', async () => (await engine.find('net'))?.messages === 251);
    await engine.live('net')?.historySettled();
    await talk;

    assert.equal((await engine.find('net'))?.historyComplete, true);
  });

  test('retries a refused history request later, without reconnecting', async () => {
    const network = createFakeNetwork();
    for (let index = 0; index < 250; index++) network.log.push(messageOf(`old ${index}`, now - HOUR + index));
    let refusals = 0;
    network.onAsked(({ from }) => {
      // First the newest page and then an older one, each more often than one attempt retries.
      if (refusals >= (from === undefined ? 4 : 8)) return;
      refusals += 1;
      throw new Error('asked too often');
    });

    await engine.apply([definitionOf(network)]);
    await until('the history is complete', async () => (await engine.find('net'))?.historyComplete === true);

    assert.equal((await engine.find('net'))?.messages, 250);
    assert.equal(network.opened(), 1);
  });

  test('stops requesting older history after its cursor was lost', async () => {
    const network = createFakeNetwork();
    for (let index = 0; index < 250; index++) network.log.push(messageOf(`old ${index}`, now - HOUR + index));
    network.onAsked(({ from }) => (from === undefined ? undefined : LOST));

    await engine.apply([definitionOf(network)]);
    await until('history was requested twice', () => network.asked.length === 2);
    await engine.live('net')?.historySettled();
    await setTimeout(50);

    assert.equal(network.asked.length, 2);
    assert.equal((await engine.find('net'))?.messages, 100);
  });

  test('is abandoned if its connection does not end; the connection can store nothing afterwards', async () => {
    let host: Host | undefined;
    const deaf = {
      async open(given: Host) {
        host = given;
        return {
          run: () => {
            given.connected();
            return never;
          },
        };
      },
    };
    await engine.apply([definitionOf(deaf)]);
    await until('it is connected', async () => (await engine.find('net'))?.isConnected === true);

    await engine.apply([]);

    await assert.rejects(async () => host?.accept([messageOf('too late', now)]), /over/);
    await assert.rejects(async () => host?.memory.set('cursor', '7'), /over/);
    host?.connected();
    assert.equal(await engine.find('net'), undefined);
    assert.equal((await store.messages.extent('net')).count, 0);
  });

  test('is not run if it is opened only after the engine was stopped', async () => {
    const opening = Promise.withResolvers<void>();
    const calls: string[] = [];
    const slow = {
      async open() {
        calls.push('open');
        await opening.promise;
        return { run: async () => void calls.push('run') };
      },
    };
    await engine.apply([definitionOf(slow)]);
    await until('the connection is being opened', () => calls.length === 1);

    await engine.stop();
    opening.resolve();
    await nextTurn();

    assert.deepEqual(calls, ['open']);
  });

  test('is retried if its connector throws synchronously', async () => {
    let attempts = 0;
    const rude = {
      open(): Promise<never> {
        attempts += 1;
        throw new Error('at once');
      },
    };

    await engine.apply([definitionOf(rude)]);

    await until('it is retried', () => attempts > 2);
    assert.equal((await engine.find('net'))?.isConnected, false);
  });

  test('says why it is not connected if the failure has a text of our own', async () => {
    const failing = (error: Error) => ({ open: () => Promise.reject(error) });
    const problemOf = async () => {
      await until('it waits', async () => (await engine.find('net'))?.state === 'waiting');
      return (await engine.find('net'))?.problem;
    };

    await engine.apply([definitionOf(failing(new AppError('SERVICE_UNAVAILABLE', 'The disk is full.')))]);
    const own = await problemOf();
    await engine.apply([{ ...definitionOf(failing(new Error('words of a stranger'))), fingerprint: 'other' }]);
    const foreign = await problemOf();

    assert.deepEqual([own, foreign], ['The disk is full.', 'Its network cannot be reached at the moment.']);
  });

  test('can be one of two hundred that connect, disconnect and stop together', async () => {
    const networks = Array.from({ length: 200 }, () => createFakeNetwork());
    const definitions = networks.map((network, index) => ({ ...definitionOf(network), id: `net-${index}` }));

    await engine.apply(definitions);
    await until('all are connected', async () => (await engine.list()).every(({ isConnected }) => isConnected));
    for (const network of networks) network.cut();
    await until('all are opened again', () => networks.every((network) => network.opened() === 2));
    await until('all are connected again', async () => (await engine.list()).every(({ isConnected }) => isConnected));
    await Promise.all([engine.apply([]), engine.stop()]);

    assert.deepEqual(await engine.list(), []);
  });

  function failOnce(origin: Batch['origin']): void {
    beforeRecord = (batch) => {
      if (batch.origin !== origin) return;
      beforeRecord = () => {};
      throw new AppError('SERVICE_UNAVAILABLE', 'The disk is full.');
    };
  }

  /** A source that missed many messages while its network lost the cursor. */
  async function withGap() {
    const network = createFakeNetwork();
    await network.say('first', now - HOUR);
    await engine.apply([definitionOf(network)]);
    await has(['first']);
    await engine.live('net')?.historySettled();
    network.forget();
    for (let index = 0; index < 450; index++) network.log.push(messageOf(`missed ${index}`, now - HOUR / 2 + index));
    return network;
  }

  async function has(wanted: readonly string[]): Promise<void> {
    await until(`the store has ${wanted}`, async () => {
      const { messages } = await store.messages.find({ sources: ['net'] }, { limit: 10 });
      return messages.map(({ text }) => text).join() === wanted.join();
    });
  }
});
