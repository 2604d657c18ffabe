import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboxId } from '../../../src/domain/ids.ts';
import type { manualClock } from '../manual-clock.ts';
import type { Store } from './open-store.ts';
import { coded, ids, outgoing, types } from './samples.ts';

/** What every database must do for the outbox. */
export function outboxContract(store: () => Store, clock: ReturnType<typeof manualClock>): void {
  test('stores an item and finds it by id', async () => {
    const item = await store().outbox.add(outgoing({ reason: 'because', state: 'held' }));

    assert.deepEqual(await store().outbox.find(item.id), item);
    assert.deepEqual(
      [item.state, item.reason, item.attempts, item.createdAt, item.dueAt],
      ['held', 'because', 0, clock.now(), clock.now()],
    );
    assert.equal(await store().outbox.find('none' as OutboxId), undefined);
  });

  test('gives no item to a token that was made later under the name of its principal', async () => {
    const item = (identity: string) => outgoing({ principal: 'ci', identity, idempotencyKey: 'k' });
    const first = await store().outbox.add(item('a'.repeat(64)));

    const [again, remade] = [
      await store().outbox.add(item('a'.repeat(64))),
      await store().outbox.add(item('b'.repeat(64))),
    ];

    assert.deepEqual([again.id, again.idempotencyKey], [first.id, 'k']);
    assert.notEqual(remade.id, first.id);
    assert.equal((await store().outbox.find(remade.id))?.idempotencyKey, 'k');
  });

  test('has one item for one idempotency key, of one principal, sender and source', async () => {
    const first = await store().outbox.add(outgoing({ idempotencyKey: 'k' }));

    const again = await store().outbox.add(outgoing({ idempotencyKey: 'k', payload: { text: 'changed' } }));
    const others = await Promise.all([
      store().outbox.add(outgoing({ idempotencyKey: 'k', principal: 'ci' })),
      store().outbox.add(outgoing({ idempotencyKey: 'k', through: 'xmpp' })),
      store().outbox.add(outgoing({ idempotencyKey: 'k', sender: 'email' })),
      store().outbox.add(outgoing({})),
      store().outbox.add(outgoing({})),
    ]);

    assert.deepEqual(again, first);
    assert.equal(new Set([first, ...others].map(({ id }) => id)).size, 6);
    assert.equal((await store().events.read(0, { types: ['outbox.added'] })).length, 6);
  });

  test('each due item of the requested senders is taken by one caller, oldest first', async () => {
    const items = [];
    for (const sender of ['chat', 'email', 'chat', 'fax']) items.push(await store().outbox.add(outgoing({ sender })));

    const taken = await Promise.all([1, 2, 3, 4].map(() => store().outbox.take(['chat', 'email'])));

    assert.deepEqual(
      taken.map((item) => item?.id),
      [...items.slice(0, 3).map(({ id }) => id), undefined],
    );
    assert.deepEqual([taken[0]?.state, taken[0]?.attempts], ['sending', 1]);
    assert.equal(await store().outbox.take([]), undefined);
  });

  test('an item that is held or not due is not taken', async () => {
    const later = await store().outbox.add(outgoing({ dueAt: clock.now() + 100 }));
    await store().outbox.add(outgoing({ state: 'held' }));

    const early = await store().outbox.take(['chat']);
    clock.advance(100);
    const due = await store().outbox.take(['chat']);

    assert.deepEqual([early, due?.id], [undefined, later.id]);
  });

  test('stores each change of an item with an event, without its content', async () => {
    const { id } = await store().outbox.add(outgoing({ payload: { text: 'a secret' } }));
    await store().outbox.take(['chat']);
    await store().outbox.change(id, { kind: 'fail', reason: 'down', retryAt: clock.now() });
    await store().outbox.take(['chat']);

    const sent = await store().outbox.change(id, { kind: 'sent', externalId: 'net-1' });

    assert.deepEqual(await store().outbox.find(id), sent);
    assert.deepEqual([sent.state, sent.externalId, sent.attempts, sent.reason], ['sent', 'net-1', 2, undefined]);
    const events = await store().events.read(0);
    assert.deepEqual(types(events), ['outbox.added', 'outbox.taken', 'outbox.requeued', 'outbox.taken', 'outbox.sent']);
    assert.ok(events.every(({ subject }) => subject === id));
    assert.deepEqual(events.at(-1)?.data, { kind: 'chat', source: 'irc', state: 'sent' });
  });

  test('refuses an invalid change, and changes nothing', async () => {
    const item = await store().outbox.add(outgoing({}));

    await assert.rejects(store().outbox.change(item.id, { kind: 'sent' }), coded('CONFLICT'));
    await assert.rejects(
      store().outbox.change('none' as OutboxId, { kind: 'approve', by: 'local' }),
      coded('NOT_FOUND'),
    );

    assert.deepEqual(await store().outbox.find(item.id), item);
    assert.equal((await store().events.range()).last, 1);
  });

  test('lists what was sent through a source in one lane', async () => {
    const add = (through: string, lane: string) => store().outbox.add(outgoing({ through, lane }));
    const [first, , , last] = [await add('a', 'x'), await add('a', 'y'), await add('b', 'x'), await add('a', 'x')];

    assert.deepEqual(ids(await store().outbox.list({ through: 'a', lane: 'x' })), [last.id, first.id]);
  });

  test('lists newest first, by sender and state, page by page', async () => {
    const added = [];
    for (const sender of ['chat', 'email', 'chat', 'chat']) added.push(await store().outbox.add(outgoing({ sender })));
    const [a, b, c, d] = added.map(({ id }) => id);
    await store().outbox.take(['chat']);

    const list = async (filter: Parameters<Store['outbox']['list']>[0]) => ids(await store().outbox.list(filter));

    assert.deepEqual(await list({}), [d, c, b, a]);
    assert.deepEqual(await list({ sender: 'chat', limit: 2 }), [d, c]);
    assert.deepEqual(await list({ sender: 'chat', before: c as OutboxId }), [a]);
    assert.deepEqual(await list({ states: ['sending', 'held'] }), [a]);
    assert.deepEqual(await list({ states: ['queued'], before: d as OutboxId }), [c, b]);
  });

  test('an item of a busy slot is not taken; first attempts and retries have a slot each', async () => {
    for (const through of ['irc', 'irc', 'xmpp']) await store().outbox.add(outgoing({ through }));
    const first = (through: string) => ({ through, isRetry: false });

    const failed = await store().outbox.take(['chat']);
    await store().outbox.change(failed?.id as OutboxId, { kind: 'fail', reason: 'down', retryAt: clock.now() });
    const taken = [
      await store().outbox.take(['chat'], [first('irc'), { through: 'irc', isRetry: true }]),
      await store().outbox.take(['chat'], [first('irc'), first('xmpp')]),
      await store().outbox.take(['chat'], [first('irc'), first('xmpp')]),
    ];

    assert.deepEqual(
      taken.map((item) => item && [item.through, item.attempts]),
      [['xmpp', 1], ['irc', 2], undefined],
    );
  });

  test('an item is not taken while another of its lane is being sent', async () => {
    const add = (lane: string, through = 'irc') => store().outbox.add(outgoing({ lane, through }));
    const [first, second, other, elsewhere] = [
      await add('#dev'),
      await add('#dev'),
      await add('#ops'),
      await add('#dev', 'xmpp'),
    ];

    const taken = [];
    for (let count = 0; count < 4; count += 1) taken.push(await store().outbox.take(['chat']));
    const due = await store().outbox.nextDue(['chat']);
    await store().outbox.change(first.id, { kind: 'sent' });

    assert.deepEqual(
      taken.map((item) => item?.id),
      [first.id, other.id, elsewhere.id, undefined],
    );
    assert.equal(due, undefined);
    assert.equal((await store().outbox.take(['chat']))?.id, second.id);
  });

  test('keeps the order of a lane, also behind a retried item, and returns when the next item is due', async () => {
    const add = async (lane: string) => (await store().outbox.add(outgoing({ lane }))).id;
    const [first, second, other] = [await add('#dev'), await add('#dev'), await add('#ops')];
    await store().outbox.take(['chat']);
    const retryAt = clock.now() + 500;
    await store().outbox.change(first as OutboxId, { kind: 'fail', reason: 'down', retryAt });

    const meanwhile = await store().outbox.take(['chat']);
    const due = [await store().outbox.nextDue(['chat']), await store().outbox.nextDue(['email'])];
    const none = await store().outbox.take(['chat']);
    clock.advance(500);
    const later = [await store().outbox.take(['chat'])];
    await store().outbox.change(first as OutboxId, { kind: 'sent' });
    later.push(await store().outbox.take(['chat']));

    assert.deepEqual([meanwhile?.id, due, none], [other, [retryAt, undefined], undefined]);
    assert.deepEqual(
      later.map((item) => item?.id),
      [first, second],
    );
    assert.equal(later[0]?.lane, '#dev');
  });

  test('makes the pending items of one source due', async () => {
    const dueAt = clock.now() + 1_000;
    await store().outbox.add(outgoing({ dueAt }));
    await store().outbox.add(outgoing({ dueAt, through: 'xmpp' }));

    const due = await store().outbox.makeDue('irc');

    assert.deepEqual([due, await store().outbox.makeDue('irc')], [1, 0]);
    assert.equal((await store().outbox.take(['chat']))?.through, 'irc');
    assert.equal(await store().outbox.take(['chat']), undefined);
  });

  test('refuses what one principal adds beyond its limit of held and queued items', async () => {
    const limits = { maxWaiting: 2 };
    const first = await store().outbox.add(outgoing({ idempotencyKey: 'k' }), limits);
    await store().outbox.add(outgoing({ state: 'held' }), limits);

    const again = await store().outbox.add(outgoing({ idempotencyKey: 'k' }), limits);
    await assert.rejects(store().outbox.add(outgoing({}), limits), coded('BUSY'));
    await store().outbox.add(outgoing({ principal: 'ci' }), limits);
    await store().outbox.change(first.id, { kind: 'discard' });
    await store().outbox.add(outgoing({}), limits);

    assert.equal(again.id, first.id);
    assert.equal((await store().outbox.list()).length, 4);
  });

  test('deletes the content of finished items, later the items, and nothing unfinished', async () => {
    const finish = async (kind: 'sent' | 'fail' | 'lose-track', idempotencyKey: string) => {
      const { id } = await store().outbox.add(outgoing({ idempotencyKey }));
      await store().outbox.take(['chat']);
      return store().outbox.change(id, { kind, reason: 'so' });
    };
    const [sent] = [await finish('sent', 'a'), await finish('fail', 'b'), await finish('lose-track', 'c')];
    await store().outbox.add(outgoing({ state: 'held' }));
    await store().outbox.add(outgoing({}));
    clock.advance(1);
    const now = clock.now();

    const first = await store().outbox.forget({ content: now, rows: now - 1 });
    const again = await store().outbox.add(outgoing({ idempotencyKey: 'a' }));
    const payloads = (await store().outbox.list()).map(({ payload }) => payload);
    const second = await store().outbox.forget({ content: now, rows: now });

    assert.deepEqual(
      [first, second],
      [
        { emptied: 2, gone: 0 },
        { emptied: 0, gone: 2 },
      ],
    );
    assert.deepEqual(again, { ...sent, payload: {}, summary: '', recipients: [{ id: '#dev', name: '#dev' }] });
    assert.deepEqual(payloads, [{ text: 'hello' }, { text: 'hello' }, { text: 'hello' }, {}, {}]);
    assert.deepEqual(
      (await store().outbox.list()).map(({ state }) => state),
      ['queued', 'held', 'uncertain'],
    );
  });

  test('marks items as uncertain that a killed process was sending, once', async () => {
    const { id } = await store().outbox.add(outgoing({}));
    await store().outbox.add(outgoing({}));
    await store().outbox.take(['chat']);

    const recovered = await store().outbox.recover();

    assert.deepEqual(ids(recovered), [id]);
    assert.equal((await store().outbox.find(id))?.state, 'uncertain');
    assert.equal((await store().events.read(0, { types: ['outbox.uncertain'] })).length, 1);
    assert.deepEqual(await store().outbox.recover(), []);
  });
}
