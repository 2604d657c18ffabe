import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { type ConnectedSource, startConnectedSource } from '../../../tests/support/connectors/connected-source.ts';
import { silentLog } from '../../../tests/support/operation-context.ts';
import { openStore, type Store } from '../../../tests/support/store/open-store.ts';
import type { Host } from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import { systemClock } from '../../lib/clock.ts';

const DAY = 86_400_000;

function said(id: string, at: number): InboundEvent {
  const sender = { id: 'antti', name: 'Antti' };
  return { kind: 'message', message: { chat: { id: 'team' }, id, sender, text: `text of ${id}`, at } };
}

describe('history that a network sends by itself', () => {
  let store: Store;
  let source: ConnectedSource;
  before(async () => {
    store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
  });
  after(async () => {
    await source?.stop();
    await store.close();
  });

  test('it is stored once, without what is older than the budget, and without an event for each message', async () => {
    const now = Date.now();
    const sender = { id: 'antti', name: 'Antti' };
    const pushed: InboundEvent[] = [
      said('old', now - 40 * DAY),
      { kind: 'reactions', chat: 'team', message: 'old', sender, signs: ['👍'], at: now },
      said('new', now - DAY),
      said('newer', now),
    ];
    const stored = Promise.withResolvers<void>();
    const open = (_settings: never, host: Host) => ({
      async run(signal: AbortSignal) {
        host.connected();
        await host.acceptHistory(pushed);
        await host.acceptHistory(pushed);
        stored.resolve();
        await once(signal, 'abort');
        return undefined;
      },
    });

    source = await startConnectedSource({
      kind: 'irc',
      settings: {},
      open,
      store,
      history: { days: 30, messages: 10 },
    });
    await stored.promise;

    assert.deepEqual(await source.texts('team'), ['text of new', 'text of newer']);
    const events = await store.events.read(0);
    assert.equal(events.filter(({ type }) => type === 'message.received').length, 0);
  });
});
