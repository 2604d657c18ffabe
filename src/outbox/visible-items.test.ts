import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openCapability } from '../../tests/support/open-capability.ts';
import { contextWith } from '../../tests/support/operation-context.ts';
import { openOutbox } from '../../tests/support/outbox/open-outbox.ts';
import { ids, outgoing } from '../../tests/support/store/samples.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import { grantsOf } from '../domain/grants.ts';
import type { OutboxPort } from '../domain/outbox.ts';
import { outbox } from './capability.ts';
import type { OutboxParts } from './ports.ts';
import { withGrantedReads } from './visible-items.ts';

describe('the outbox as a caller sees it', () => {
  test('has nothing that is sent through a source that the caller may not read', async (context) => {
    const { store } = await openOutbox(context, {});
    const opened = openCapability(outbox, { store: async () => ({ items: store.outbox, reads: store.reads }) });
    (opened.service as OutboxPort).register({
      kind: 'chat',
      describe: () => ({ text: '' }),
      send: async () => ({ kind: 'sent' }),
      look: async () => ({ kind: 'unknown' }),
      mayRead: ({ name }, through) => name === 'secretary' || through !== 'agentmail',
    });
    const seen = await store.outbox.add(outgoing({ state: 'held' }));
    const letter = await store.outbox.add(outgoing({ state: 'held', through: 'agentmail' }));

    const itemsOf = (name: string) => {
      const parts = opened.partsFor?.(tokenPrincipal(name, ['outbox:read']), contextWith({})) ?? opened.parts;
      return (parts as OutboxParts).outbox;
    };

    assert.deepEqual(ids(await itemsOf('chatter').list()), [seen.id]);
    assert.equal(await itemsOf('chatter').find(letter.id), undefined);
    await assert.rejects(itemsOf('chatter').change(letter.id, { kind: 'discard' }), { code: 'NOT_FOUND' });
    assert.deepEqual(ids(await itemsOf('secretary').list()), [letter.id, seen.id]);
  });

  test('does not name the chats that its sender has read, where these are not granted', async (context) => {
    const { store } = await openOutbox(context, {});
    const read = (chat: string) => ({ source: 'irc', chat, name: chat, at: 1 });
    const item = {
      ...(await store.outbox.add(outgoing({ state: 'held' }))),
      reason: 'read #ops of irc',
      heldBecause: [read('#dev'), read('#ops')],
    };

    const confined = withGrantedReads(item, grantsOf(['irc:#dev']));

    assert.deepEqual(confined.heldBecause, [read('#dev')]);
    assert.doesNotMatch(JSON.stringify(confined), /#ops/);
    assert.equal(withGrantedReads(item, grantsOf(undefined)), item);
    assert.equal(withGrantedReads(item, grantsOf(['irc:*'])), item);
  });
});
