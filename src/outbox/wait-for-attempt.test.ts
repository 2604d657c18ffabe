import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openOutbox, patientSender } from '../../tests/support/outbox/open-outbox.ts';
import { outgoing } from '../../tests/support/store/samples.ts';
import { createAttemptWaiter } from './wait-for-attempt.ts';

const signal = new AbortController().signal;

describe('waiting for the first attempt', () => {
  test('returns its outcome', async (context) => {
    const { store, dispatch } = await openOutbox(context, {
      send: async () => ({ kind: 'sent', externalId: 'net-1' }),
    });
    dispatch.start();

    const item = await createAttemptWaiter(store)(() => store.outbox.add(outgoing({})), signal);

    assert.deepEqual([item.state, item.externalId], ['sent', 'net-1']);
  });

  test('returns an item that is queued again after an attempt', async (context) => {
    const { store, dispatch } = await openOutbox(context, {
      send: async () => ({ kind: 'not-sent', reason: 'Not connected.', retry: true }),
    });
    dispatch.start();

    const item = await createAttemptWaiter(store)(() => store.outbox.add(outgoing({})), signal);

    assert.deepEqual([item.state, item.reason, item.attempts], ['queued', 'Not connected.', 1]);
  });

  test('returns a held item immediately', async (context) => {
    const { store } = await openOutbox(context, {});

    const item = await createAttemptWaiter(store)(() => store.outbox.add(outgoing({ state: 'held' })), signal);

    assert.equal(item.state, 'held');
  });

  test('ends with its timeout and with the caller’s signal', async (context) => {
    const sender = patientSender();
    const { store, dispatch } = await openOutbox(context, sender);
    dispatch.start();

    const timedOut = await createAttemptWaiter({ ...store, timeoutMs: 1 })(
      () => store.outbox.add(outgoing({})),
      signal,
    );
    const aborted = await createAttemptWaiter(store)(
      () => store.outbox.add(outgoing({ through: 'xmpp' })),
      AbortSignal.abort(),
    );

    assert.ok(['queued', 'sending'].includes(timedOut.state));
    assert.equal(aborted.state, 'queued');
    for (const _ of [timedOut, aborted]) (await sender.next()).answer({ kind: 'sent' });
  });
});
