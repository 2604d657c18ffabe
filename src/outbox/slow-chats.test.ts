import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { itemThatIs, openOutbox, patientSender } from '../../tests/support/outbox/open-outbox.ts';
import { ids, outgoing } from '../../tests/support/store/samples.ts';

describe('chats that fail or are slow', () => {
  test('an item whose attempt is slow delays no other chat, only the next item of its own', async (context) => {
    const sender = patientSender();
    const { store, dispatch } = await openOutbox(context, { ...sender, sendsConcurrently: true }, { slotMs: 5 });
    const add = (lane: string) => store.outbox.add(outgoing({ lane }));
    const [slow, behind, other] = [await add('#closed'), await add('#closed'), await add('#dev')];

    dispatch.start();
    const first = await sender.next();
    const second = await sender.next();
    second.answer({ kind: 'sent' });
    await itemThatIs(store, other.id, 'sent');
    const meanwhile = sender.waiting();
    first.answer({ kind: 'sent' });
    const third = await sender.next();
    third.answer({ kind: 'sent' });

    assert.deepEqual(ids([first.item, second.item, third.item]), ids([slow, other, behind]));
    assert.deepEqual(meanwhile, []);
    await itemThatIs(store, behind.id, 'sent');
  });

  test('retries of chats that fail delay no first attempt, however many are due', async (context) => {
    const sender = patientSender();
    const { store, dispatch } = await openOutbox(context, sender);
    const closed = [];
    for (let number = 0; number < 10; number += 1)
      closed.push(await store.outbox.add(outgoing({ lane: `#y${number}` })));

    dispatch.start();
    for (const _ of closed) (await sender.next()).answer({ kind: 'not-sent', reason: 'Not connected.', retry: true });
    for (const { id } of closed) await itemThatIs(store, id, 'queued');
    await dispatch.retryNow('irc');
    const retry = await sender.next();
    const { id } = await store.outbox.add(outgoing({ lane: '#dev' }));
    const first = await sender.next();
    first.answer({ kind: 'sent' });

    assert.deepEqual([retry.item.attempts, first.item.id], [2, id]);
    await itemThatIs(store, id, 'sent');
    assert.deepEqual(sender.waiting(), []);
  });

  test('has a limited number of slow attempts through one source', async (context) => {
    const sender = patientSender();
    const { store, dispatch } = await openOutbox(context, { ...sender, sendsConcurrently: true }, { slotMs: 5 });
    for (let number = 0; number < 9; number += 1) await store.outbox.add(outgoing({ lane: `#y${number}` }));

    dispatch.start();
    const slow = [];
    for (let number = 0; number < 8; number += 1) slow.push(await sender.next());
    await new Promise((resolve) => setTimeout(resolve, 50));
    const meanwhile = sender.waiting();
    for (const attempt of slow) attempt.answer({ kind: 'sent' });

    assert.deepEqual(meanwhile, []);
    const last = await sender.next();
    last.answer({ kind: 'sent' });
    assert.equal((await itemThatIs(store, last.item.id, 'sent')).lane, '#y8');
  });
});
