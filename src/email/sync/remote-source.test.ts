import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { afterEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { fetchedMail } from '../../../tests/support/email/mail-samples.ts';
import { type FetchedMail, MailError } from '../../connectors/mail-connector.ts';
import type { MailSource } from './bulk-job.ts';
import { remoteSource, serveSource } from './remote-source.ts';

const RANGE = { from: 1, to: 1_000 };
let ports: MessagePort[] = [];

afterEach(() => {
  for (const port of ports) port.close();
  ports = [];
});

/** The two ends of a channel, as two threads have them. */
function connect(served: Partial<MailSource>): { source: MailSource; thread: EventEmitter } {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const unused = () => Promise.reject(new Error('not served'));
  serveSource(port1, { status: unused, uids: unused, facts: unused, fetch: unused, ...served });
  const thread = new EventEmitter();
  port2.on('message', (message) => thread.emit('message', message));
  return {
    thread,
    source: remoteSource(Object.assign(thread, { postMessage: (message: unknown) => port2.postMessage(message) })),
  };
}

/** Gives emails one by one and counts them. */
function giving(count: number, { failAfter = Number.POSITIVE_INFINITY } = {}) {
  const given: number[] = [];
  const fetch: MailSource['fetch'] = async (_path, _range, take) => {
    for (let uid = 1; uid <= count; uid += 1) {
      if (uid > failAfter) throw new MailError('lost', 'The connection to the server was lost.');
      await take([fetchedMail(uid)]);
      given.push(uid);
    }
  };
  return { given, fetch };
}

describe('a source in another thread', () => {
  test('answers as it would in this one', async () => {
    const { source } = connect({
      uids: async (path) => (path === 'INBOX' ? [1, 5] : []),
      status: async () => {
        throw new MailError('refused', 'The folder does not exist on the server.');
      },
    });

    const uids = await source.uids('INBOX');

    assert.deepEqual(uids, [1, 5]);
    await assert.rejects(source.status('INBOX'), (error) => error instanceof MailError && error.kind === 'refused');
  });

  test('gives batches in their order, and ends when all are stored', async () => {
    const { source } = connect(giving(50));
    const stored: number[] = [];

    await source.fetch('INBOX', RANGE, async ([mail]) => {
      await nextTurn();
      stored.push(mail?.uid ?? 0);
    });

    assert.deepEqual(
      stored,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  test('waits while batches are not stored', async () => {
    const { given, fetch } = giving(50);
    const { source } = connect({ fetch, uids: async () => [] });
    const { promise: mayStore, resolve } = Promise.withResolvers<void>();

    const fetching = source.fetch('INBOX', RANGE, () => mayStore);
    // Its messages arrive in their order: whatever was given before this is known afterwards.
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    const ahead = given.length;
    resolve();
    await fetching;

    assert.ok(ahead <= 8, `${ahead} were given`);
    assert.equal(given.length, 50);
  });

  test('fails in the middle after what came before was stored', async () => {
    const { source } = connect(giving(50, { failAfter: 20 }));
    const stored: number[] = [];

    const fetching = source.fetch('INBOX', RANGE, async ([mail]) => {
      await nextTurn();
      stored.push(mail?.uid ?? 0);
    });

    await assert.rejects(fetching, (error) => error instanceof MailError && error.kind === 'lost');
    assert.equal(stored.length, 20);
  });

  test('stops when something cannot be stored, and goes on with the next request', async () => {
    const { given, fetch } = giving(50);
    const { source } = connect({ fetch, uids: async () => [7] });
    const full = new Error('the disk is full');
    let taken: readonly FetchedMail[] = [];

    const fetching = source.fetch('INBOX', RANGE, async (batch) => {
      taken = [...taken, ...batch];
      if (taken.length === 3) throw full;
    });

    await assert.rejects(fetching, full);
    assert.deepEqual(await source.uids('INBOX'), [7]);
    assert.equal(taken.length, 3);
    assert.ok(given.length < 50);
  });

  test('that is gone fails every request', async () => {
    const { source, thread } = connect({ uids: () => new Promise(() => {}) });
    const waiting = source.uids('INBOX');

    thread.emit('exit', 1);

    await assert.rejects(waiting, /ended early/);
    await assert.rejects(source.uids('INBOX'), /ended early/);
  });
});
