import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { itemThatIs, openOutbox, patientSender } from '../../tests/support/outbox/open-outbox.ts';
import { ids, outgoing } from '../../tests/support/store/samples.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { Attempt, OutboxItem } from '../domain/outbox.ts';
import type { SendPolicy } from '../domain/policy.ts';
import type { Principal } from '../domain/principal.ts';
import { untilFound } from '../lib/until-found.ts';
import { retryDelay } from './retry-delay.ts';

const LATER: Attempt = { kind: 'not-sent', reason: 'Not connected.', retry: true };

describe('dispatch', () => {
  test('sends items that were queued before it started, and those that are added later', async (context) => {
    const { store, dispatch } = await openOutbox(context, {
      send: async () => ({ kind: 'sent', externalId: 'net-1' }),
    });
    const before = await store.outbox.add(outgoing({}));

    dispatch.start();
    const after = await store.outbox.add(outgoing({}));

    assert.equal((await itemThatIs(store, before.id, 'sent')).externalId, 'net-1');
    assert.equal((await itemThatIs(store, after.id, 'sent')).attempts, 1);
  });

  test('sends one at a time through each source, in order, and through several sources concurrently', async (context) => {
    const sender = patientSender();
    const { store, dispatch } = await openOutbox(context, sender);
    const [first, second] = [await store.outbox.add(outgoing({})), await store.outbox.add(outgoing({}))];
    const other = await store.outbox.add(outgoing({ through: 'xmpp' }));

    dispatch.start();
    const [one, beside] = [await sender.next(), await sender.next()];
    const meanwhile = sender.waiting();
    one.answer({ kind: 'sent' });
    const two = await sender.next();
    two.answer({ kind: 'sent' });
    beside.answer({ kind: 'sent' });

    assert.deepEqual(ids([one.item, beside.item, two.item]), ids([first, other, second]));
    assert.deepEqual(meanwhile, []);
    for (const { id } of [first, second, other]) await itemThatIs(store, id, 'sent');
  });

  test('retries an item that was not sent after a delay, in the order of its chat, or immediately when the source is connected again', async (context) => {
    const sender = patientSender();
    const { store, clock, dispatch } = await openOutbox(context, sender);
    const [first, second] = [
      await store.outbox.add(outgoing({ lane: '#dev' })),
      await store.outbox.add(outgoing({ lane: '#dev' })),
    ];

    dispatch.start();
    (await sender.next()).answer(LATER);
    const waiting = await itemThatIs(store, first.id, 'queued');
    await dispatch.retryNow('irc');
    const order: OutboxItem[] = [];
    for (let count = 0; count < 2; count += 1) {
      const attempt = await sender.next();
      order.push(attempt.item);
      attempt.answer({ kind: 'sent' });
    }

    assert.deepEqual([waiting.reason, waiting.dueAt], ['Not connected.', clock.now() + 1_000]);
    assert.deepEqual(ids(order), ids([first, second]));
    assert.equal((await itemThatIs(store, second.id, 'sent')).attempts, 1);
  });

  test('retries an item when it is due', async (context) => {
    const attempts: Attempt[] = [LATER, { kind: 'sent' }];
    const { store, clock, dispatch } = await openOutbox(context, {
      send: async () => {
        clock.advance(10_000);
        return attempts.shift() ?? { kind: 'sent' };
      },
    });
    const { id } = await store.outbox.add(outgoing({}));

    dispatch.start();
    // The manual clock fires no timer: the next item makes dispatch check again.
    await itemThatIs(store, id, 'queued');
    clock.advance(10_000);
    await store.outbox.add(outgoing({ through: 'xmpp' }));

    assert.equal((await itemThatIs(store, id, 'sent')).attempts, 2);
  });

  test('gives up an item that cannot be sent, or was attempted too often', async (context) => {
    const { store, dispatch } = await openOutbox(context, {
      send: async () => ({ kind: 'not-sent', reason: 'No such channel.', retry: false }),
    });
    const { id } = await store.outbox.add(outgoing({}));

    dispatch.start();

    assert.equal((await itemThatIs(store, id, 'failed')).reason, 'No such channel.');
    assert.deepEqual([1, 2, 3, 12, 299, 300].map(retryDelay), [1_000, 2_000, 4_000, 300_000, 300_000, undefined]);
  });

  test('does not send an item again whose outcome is unknown', async (context) => {
    let sends = 0;
    const { store, dispatch } = await openOutbox(context, {
      send: async () => {
        sends += 1;
        throw new Error('a bug');
      },
    });
    const { id } = await store.outbox.add(outgoing({}));

    dispatch.start();
    await itemThatIs(store, id, 'uncertain');
    await dispatch.retryNow('irc');
    await itemThatIs(store, (await store.outbox.add(outgoing({}))).id, 'uncertain');

    assert.equal((await store.outbox.find(id))?.state, 'uncertain');
    assert.equal(sends, 2);
  });

  test('verifies an item that a killed process was sending: one that has arrived is sent, one that has not is sent again', async (context) => {
    const arrived = new Set<string>();
    const sent: string[] = [];
    const { store, dispatch } = await openOutbox(context, {
      send: async ({ id }) => {
        sent.push(id);
        return { kind: 'sent' };
      },
      look: async ({ id }) => (arrived.has(id) ? { kind: 'sent', externalId: 'net-9' } : { kind: 'absent' }),
    });
    const [there, absent] = [await store.outbox.add(outgoing({})), await store.outbox.add(outgoing({}))];
    arrived.add(there.id);
    for (const _ of [there, absent]) await store.outbox.take(['chat']);
    await store.outbox.recover();

    dispatch.start();

    assert.equal((await itemThatIs(store, there.id, 'sent')).externalId, 'net-9');
    await itemThatIs(store, absent.id, 'sent');
    assert.deepEqual(sent, [absent.id]);
  });

  test('verifies an item repeatedly until its outcome is known, also when another one cannot be verified', async (context) => {
    let asked = 0;
    const { store, dispatch } = await openOutbox(context, {
      look: async ({ payload }) => {
        if (payload.text === 'broken') throw new Error('the network is down');
        asked += 1;
        return { kind: asked < 3 ? 'unknown' : 'sent' };
      },
    });
    const broken = await store.outbox.add(outgoing({ payload: { text: 'broken' } }));
    const { id } = await store.outbox.add(outgoing({}));
    for (let count = 0; count < 2; count += 1) await store.outbox.take(['chat']);
    await store.outbox.recover();

    dispatch.start();
    await itemThatIs(store, id, 'sent');

    assert.equal(asked, 3);
    assert.equal((await store.outbox.find(broken.id))?.state, 'uncertain');
  });

  test('does not verify an item while an attempt is still running', async (context) => {
    let looks = 0;
    const sender = patientSender();
    const { store, clock, dispatch } = await openOutbox(
      context,
      {
        send: sender.send,
        look: async () => {
          looks += 1;
          return { kind: 'absent' };
        },
      },
      { graceMs: 1_000, timeoutMs: 5 },
    );
    const { id } = await store.outbox.add(outgoing({}));

    dispatch.start();
    const slow = await sender.next();
    const uncertain = await itemThatIs(store, id, 'uncertain');
    clock.advance(10_000);
    await dispatch.retryNow('irc');
    slow.answer({ kind: 'sent', externalId: 'late' });
    const sent = await itemThatIs(store, id, 'sent');

    assert.match(uncertain.reason ?? '', /did not say in time/);
    assert.deepEqual([sent.externalId, sent.attempts, looks], ['late', 1, 0]);
  });

  test('does not send an item a third time that a person retried during the first attempt, when that attempt fails', async (context) => {
    const sender = patientSender();
    const { store, clock, dispatch } = await openOutbox(context, sender, { timeoutMs: 5 });
    const { id } = await store.outbox.add(outgoing({}));

    dispatch.start();
    const first = await sender.next();
    await itemThatIs(store, id, 'uncertain');
    clock.advance(1_000);
    await store.outbox.change(id, { kind: 'retry' });
    const second = await sender.next();
    first.answer(LATER);
    second.answer({ kind: 'sent', externalId: 'second' });
    const sent = await itemThatIs(store, id, 'sent');

    assert.equal(sent.externalId, 'second');
    assert.deepEqual(sender.waiting(), []);
  });

  test('sends a held item only after its approval', async (context) => {
    const { store, dispatch } = await openOutbox(context, {});
    const { id } = await store.outbox.add(outgoing({ state: 'held' }));

    dispatch.start();
    await itemThatIs(store, (await store.outbox.add(outgoing({}))).id, 'sent');
    const meanwhile = await store.outbox.find(id);
    await store.outbox.change(id, { kind: 'approve', by: 'local' });

    assert.equal(meanwhile?.state, 'held');
    await itemThatIs(store, id, 'sent');
  });

  test('neither sends nor verifies an item that the current policy denies, approved or not', async (context) => {
    let policy: SendPolicy = { send: 'deny' };
    const calls: string[] = [];
    const { store, dispatch } = await openOutbox(
      context,
      {
        send: async () => {
          calls.push('send');
          return { kind: 'sent' };
        },
        look: async () => {
          calls.push('look');
          return { kind: 'absent' };
        },
      },
      { generalPolicy: async () => policy },
    );
    const interrupted = await store.outbox.add(outgoing({}));
    await store.outbox.take(['chat']);
    await store.outbox.recover();
    const held = await store.outbox.add(outgoing({ state: 'held' }));
    await store.outbox.change(held.id, { kind: 'approve', by: 'local' });

    dispatch.start();
    const denied = await itemThatIs(store, held.id, 'failed');
    policy = { allowedRecipients: ['#ops'] };
    const excluded = await itemThatIs(store, (await store.outbox.add(outgoing({}))).id, 'failed');

    assert.equal(denied.reason, 'The general policy lets nothing leave.');
    assert.equal(excluded.reason, 'The general policy does not allow this recipient.');
    assert.equal((await store.outbox.find(interrupted.id))?.state, 'uncertain');
    assert.deepEqual(calls, []);
  });

  test('holds a queued item that the policy of today holds, with the reason', async (context) => {
    const sent: string[] = [];
    const send = async ({ id }: OutboxItem): Promise<Attempt> => ({
      kind: 'sent',
      externalId: sent.push(id).toString(),
    });
    const { store, dispatch } = await openOutbox(context, { send }, { generalPolicy: async () => ({ send: 'hold' }) });
    const { id } = await store.outbox.add(outgoing({}));

    dispatch.start();
    const held = await itemThatIs(store, id, 'held');

    assert.deepEqual([held.reason, sent], ['The general policy asks for a person’s approval.', []]);
  });

  test('attack: a token that was removed or narrowed since sends nothing more', async (context) => {
    let now: Principal | undefined = tokenPrincipal('ci', [], { chats: ['irc:#other'] });
    const { store, dispatch } = await openOutbox(context, {}, { tokenOf: async () => now });
    const recipients = [{ id: '#dev', name: '#dev' }];
    const narrowed = await store.outbox.add(outgoing({ principal: 'ci', recipients }));

    dispatch.start();
    const first = await itemThatIs(store, narrowed.id, 'held');
    now = undefined;
    const removed = await store.outbox.add(outgoing({ principal: 'ci', recipients }));
    const second = await itemThatIs(store, removed.id, 'held');
    now = tokenPrincipal('owner', [], { policy: { send: 'hold' } });
    const named = await store.outbox.add(outgoing({ principal: 'owner', recipients }));
    const third = await itemThatIs(store, named.id, 'held');

    assert.deepEqual(
      [first.reason, second.reason, third.reason],
      [
        'The list of chats of the token ci asks for a person’s approval.',
        'The removal of the token ci asks for a person’s approval.',
        'The policy of the token owner asks for a person’s approval.',
      ],
    );
  });

  test('sends an approved item though the policy holds', async (context) => {
    const { store, dispatch } = await openOutbox(context, {}, { generalPolicy: async () => ({ send: 'hold' }) });
    const { id } = await store.outbox.add(outgoing({ state: 'held' }));

    dispatch.start();
    await store.outbox.change(id, { kind: 'approve', by: 'local' });

    await itemThatIs(store, id, 'sent');
  });

  test('retries later while the policy cannot be read', async (context) => {
    const { store, dispatch } = await openOutbox(
      context,
      {},
      { generalPolicy: () => Promise.reject(new Error('no file')) },
    );
    const { id } = await store.outbox.add(outgoing({}));

    dispatch.start();
    const item = await untilFound(
      async () => [await store.outbox.find(id)].find((found) => found?.state === 'queued' && found.attempts === 1),
      store.events.listen,
      AbortSignal.timeout(60_000),
    );

    assert.equal(item?.reason, 'The policy could not be read.');
  });

  test('finishes the running attempt when it is stopped, and starts no other', async (context) => {
    const sender = patientSender();
    const { store, dispatch } = await openOutbox(context, sender);
    const { id } = await store.outbox.add(outgoing({}));
    const next = await store.outbox.add(outgoing({}));

    dispatch.start();
    const attempt = await sender.next();
    const stopped = dispatch.stop();
    attempt.answer({ kind: 'sent' });
    await stopped;

    assert.equal((await store.outbox.find(id))?.state, 'sent');
    assert.equal((await store.outbox.find(next.id))?.state, 'queued');
  });
});
