import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openOutbox, patientSender } from '../../tests/support/outbox/open-outbox.ts';
import { outgoing } from '../../tests/support/store/samples.ts';
import { createAttemptWaiter } from './wait-for-attempt.ts';

const signal = new AbortController().signal;

describe('whoever sends something', () => {
  test('hears what became of it', async (context) => {
    const { store, dispatch } = await openOutbox(context, {
      send: async () => ({ kind: 'sent', externalId: 'net-1' }),
    });
    dispatch.start();

    const item = await createAttemptWaiter(store)(() => store.outbox.add(outgoing({})), signal);

    assert.deepEqual([item.state, item.externalId], ['sent', 'net-1']);
  });

  test('hears that it was tried and will be again', async (context) => {
    const { store, dispatch } = await openOutbox(context, {
      send: async () => ({ kind: 'not-sent', reason: 'Not connected.', retry: true }),
    });
    dispatch.start();

    const item = await createAttemptWaiter(store)(() => store.outbox.add(outgoing({})), signal);

    assert.deepEqual([item.state, item.reason, item.attempts], ['queued', 'Not connected.', 1]);
  });

  test('hears at once that it is held', async (context) => {
    const { store } = await openOutbox(context, {});

    const item = await createAttemptWaiter(store)(() => store.outbox.add(outgoing({ state: 'held' })), signal);

    assert.equal(item.state, 'held');
  });

  test('does not wait longer than patience lasts, nor longer than anybody listens', async (context) => {
    const sender = patientSender();
    const { store, dispatch } = await openOutbox(context, sender);
    dispatch.start();

    const impatient = await createAttemptWaiter({ ...store, timeoutMs: 1 })(
      () => store.outbox.add(outgoing({})),
      signal,
    );
    const gone = await createAttemptWaiter(store)(
      () => store.outbox.add(outgoing({ through: 'xmpp' })),
      AbortSignal.abort(),
    );

    assert.ok(['queued', 'sending'].includes(impatient.state));
    assert.equal(gone.state, 'queued');
    for (const _ of [impatient, gone]) (await sender.next()).answer({ kind: 'sent' });
  });
});
