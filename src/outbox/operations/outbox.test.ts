import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openCapability } from '../../../tests/support/open-capability.ts';
import { contextWith, personWith } from '../../../tests/support/operation-context.ts';
import { openOutbox } from '../../../tests/support/outbox/open-outbox.ts';
import { assertFails } from '../../../tests/support/secrets/open-secrets.ts';
import { ids, outgoing } from '../../../tests/support/store/samples.ts';
import { tokenPrincipal } from '../../../tests/support/token-principal.ts';
import { mayFollow } from '../../capability.ts';
import { outbox } from '../capability.ts';
import { approveItem } from './approve-item.ts';
import { discardItem } from './discard-item.ts';
import { listOutbox } from './list-outbox.ts';
import { retryItem } from './retry-item.ts';
import { showItem } from './show-item.ts';

const all = listOutbox.input.parse({ all: true });

describe('the operations on the outbox', () => {
  test('a person sees each pending item with its recipient, principal and reason', async (context) => {
    const { store, parts } = await setting(context);
    const held = await store.outbox.add(
      outgoing({ state: 'held', reason: 'The general policy asks.', payload: { text: 'two\nlines' } }),
    );

    const { items } = await listOutbox.run(listOutbox.input.parse({}), contextWith(parts));
    const shown = await showItem.run({ id: held.id }, contextWith(parts));

    assert.deepEqual(items, [shown]);
    assert.partialDeepStrictEqual(shown, {
      state: 'held',
      source: 'irc',
      to: 'Dev',
      text: 'two\nlines',
      by: 'local',
      reason: 'The general policy asks.',
      attempts: 0,
    });
    assert.equal(
      showItem.render?.(shown),
      `${held.id} held: "two\\nlines" to "Dev" through irc, by local. The general policy asks.`,
    );
    assert.equal(listOutbox.render?.({ items: [] }), 'Nothing waits to leave.');
  });

  test('a person who approves an item sees its whole text and the id of its chat', async (context) => {
    const { store, parts } = await setting(context);
    const text = `${'harmless '.repeat(100)}and then not`;
    const recipients = [{ id: '!other:hs.test', name: 'Family' }];
    const payload = { chat: '!other:hs.test', text };
    const summary = `${'harmless '.repeat(3)}…`;
    const { id } = await store.outbox.add(outgoing({ through: 'matrix', state: 'held', recipients, summary, payload }));

    const shown = await showItem.run({ id }, contextWith(parts));
    const { items } = await listOutbox.run(all, contextWith(parts));

    assert.equal(shown.chat_id, '!other:hs.test');
    assert.match(showItem.render?.(shown) ?? '', /and then not" to "Family" \(id "!other:hs\.test"\) through matrix/);
    assert.match(listOutbox.render?.({ items }) ?? '', /harmless h.*…" to "Family" \(id/);
  });

  test('sent and discarded items are listed only on request, page by page', async (context) => {
    const { store, parts } = await setting(context);
    const [sent, queued, held] = [
      await store.outbox.add(outgoing({})),
      await store.outbox.add(outgoing({})),
      await store.outbox.add(outgoing({ state: 'held' })),
    ];
    await store.outbox.take(['chat']);
    await store.outbox.change(sent.id, { kind: 'sent' });
    const list = async (input: object) => listOutbox.run(listOutbox.input.parse(input), contextWith(parts));

    const [first, open, everything] = [await list({ limit: 1 }), await list({}), await list({ all: true })];
    const second = await list({ limit: 2, cursor: first.next_cursor });

    assert.deepEqual(ids(open.items), ids([held, queued]));
    assert.deepEqual(ids(everything.items), ids([held, queued, sent]));
    assert.deepEqual(ids((await list({ state: 'sent' })).items), [sent.id]);
    assert.deepEqual([ids(first.items), ids(second.items), second.next_cursor], [[held.id], [queued.id], undefined]);
  });

  test('an approved item is sent unchanged, and the answer has the outcome', async (context) => {
    const { store, parts, dispatch } = await setting(context);
    dispatch.start();
    const held = await store.outbox.add(outgoing({ state: 'held' }));

    const output = await approveItem.run({ id: held.id }, personWith(parts));

    assert.deepEqual([output.state, output.text], ['sent', 'hello']);
    assert.equal(approveItem.cli?.failed?.(output), false);
    await assertFails(approveItem.run({ id: held.id }, personWith(parts)), 'CONFLICT', /that is sent cannot/);
  });

  test('a discarded item is kept, with the reason, and never sent', async (context) => {
    const { store, parts } = await setting(context);
    const held = await store.outbox.add(outgoing({ state: 'held' }));

    const output = await discardItem.run({ id: held.id, reason: 'Wrong chat.' }, contextWith(parts));

    assert.deepEqual([output.state, output.reason], ['discarded', 'Wrong chat.']);
    await assertFails(approveItem.run({ id: held.id }, personWith(parts)), 'CONFLICT', /that is discarded cannot/);
  });

  test('a failed item is sent again on request', async (context) => {
    const { store, parts, dispatch } = await setting(context);
    const { id } = await store.outbox.add(outgoing({}));
    await store.outbox.take(['chat']);
    await store.outbox.change(id, { kind: 'fail', reason: 'No such chat.' });
    dispatch.start();

    const output = await retryItem.run({ id }, contextWith(parts));

    assert.equal(output.state, 'sent');
  });

  test('a command fails where the item it approved or retried was not sent', async (context) => {
    const { store, parts } = await setting(context);
    const { id } = await store.outbox.add(outgoing({}));
    await store.outbox.take(['chat']);
    await store.outbox.change(id, { kind: 'fail', reason: 'No such chat.' });

    const output = await showItem.run({ id }, contextWith(parts));

    assert.deepEqual(
      [approveItem, retryItem].map(({ cli }) => cli?.failed?.(output)),
      [true, true],
    );
  });

  test('an unknown item is not found', async (context) => {
    const { parts } = await setting(context);

    for (const { run } of [showItem, approveItem, retryItem, discardItem]) {
      await assertFails(run({ id: 'none' }, contextWith(parts)), 'NOT_FOUND', /no such item/);
    }
  });

  test('a token that is confined to some chats sees only the items for them', async (context) => {
    const { store, parts } = await setting(context);
    const principal = tokenPrincipal('t', ['outbox:read', 'outbox:manage'], { chats: ['irc:#dev'] });
    const { partsFor } = openCapability(outbox, {
      store: async () => ({ items: store.outbox, reads: store.reads }),
    });
    const confined = {
      ...contextWith({ ...parts, ...(partsFor?.(principal, contextWith({})) as typeof parts) }),
      principal,
    };
    const seen = await store.outbox.add(outgoing({ recipients: to('#dev'), state: 'held' }));
    const other = await store.outbox.add(outgoing({ recipients: to('#ops'), state: 'held' }));
    await store.outbox.add(outgoing({ sender: 'email', through: 'work', recipients: to('x@example.org') }));

    assert.deepEqual(ids((await listOutbox.run(all, confined)).items), [seen.id]);
    const pages = [await listOutbox.run({ ...all, limit: 1 }, confined)];
    const [{ next_cursor: cursor } = {}] = pages;
    if (cursor !== undefined) pages.push(await listOutbox.run({ ...all, limit: 1, cursor }, confined));
    assert.deepEqual([pages[0]?.items.length, cursor, pages[1]?.items], [1, seen.id, []]);
    for (const { run } of [showItem, approveItem, retryItem, discardItem]) {
      await assertFails(run({ id: other.id }, confined), 'NOT_FOUND', /no such item/);
    }
  });

  test('a token approves only what it could send itself', async (context) => {
    const { store, parts } = await setting(context);
    const facts = { chats: ['irc:*'], sendChats: ['irc:#dev'] };
    const confined = { ...contextWith(parts), principal: tokenPrincipal('t', ['outbox:manage'], facts) };
    const held = await store.outbox.add(outgoing({ recipients: to('#ops'), state: 'held' }));

    for (const { run } of [approveItem, retryItem]) {
      await assertFails(run({ id: held.id }, confined), 'FORBIDDEN', /only to some chats/);
    }
    assert.equal((await store.outbox.find(held.id))?.state, 'held');
  });

  test('none of them is a tool: an agent does not approve its own messages', async () => {
    const { operations } = openCapability(outbox);

    assert.deepEqual(
      operations.filter(({ mcp }) => mcp),
      [],
    );
  });

  test('its events are sent to those that may read the outbox and the whole source', () => {
    const capability = { name: 'outbox', invalidInput: 'VALIDATION_ERROR' as const, ...openCapability(outbox) };
    const event = { number: 1, at: '', type: 'outbox.sent', subject: 'x', data: { source: 'irc' } };
    const may = (scope: string, ...chats: string[]) =>
      mayFollow([capability], tokenPrincipal('t', [scope], chats.length === 0 ? {} : { chats }), event);

    assert.deepEqual([may('outbox:read'), may('outbox:read', 'irc:*')], [true, true]);
    assert.deepEqual([may('system:read'), may('outbox:read', 'irc:#dev', 'xmpp:*')], [false, false]);
  });
});

function to(...recipients: string[]) {
  return recipients.map((id) => ({ id, name: id }));
}

async function setting(context: TestContext) {
  const { store, dispatch, parts } = await openOutbox(context, {
    describe: ({ payload: { chat, text } }) => ({
      ...(chat === undefined ? {} : { chat_id: String(chat) }),
      text: String(text),
    }),
  });
  return { store, dispatch, parts };
}
