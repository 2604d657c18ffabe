import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chatStore } from '../../tests/support/chat/store.ts';
import { openCapability } from '../../tests/support/open-capability.ts';
import type { OpenCapability } from '../capability.ts';
import { chat } from './capability.ts';
import type { ChatSettings } from './settings.ts';

const { store, clock } = chatStore();

describe('the sources of chat', () => {
  test('are those of the newest configuration, even if an older one was slow to read', async (context) => {
    const slow = Promise.withResolvers<ChatSettings>();
    const read = [configOf(), slow.promise, configOf('new')];
    const chat = compose(async () => read.shift() ?? configOf('new'));
    await chat.start?.();
    context.after(() => chat.stop?.());

    const reloads = [chat.reconfigured?.(), chat.reconfigured?.()];
    slow.resolve(configOf('old'));
    await Promise.all(reloads);

    assert.deepEqual(await ids(chat), ['new']);
  });

  test('are unchanged if a configuration cannot be read, and follow the next one', async (context) => {
    const read = [async () => configOf('first'), () => Promise.reject(new Error('unreadable'))];
    const chat = compose(() => read.shift()?.() ?? Promise.resolve(configOf('second')));
    await chat.start?.();
    context.after(() => chat.stop?.());

    await assert.rejects(async () => chat.reconfigured?.(), /unreadable/);
    const before = await ids(chat);
    await chat.reconfigured?.();

    assert.deepEqual([before, await ids(chat)], [['first'], ['second']]);
  });
});

function compose(settings: () => Promise<ChatSettings>): OpenCapability {
  const outbox = {
    register: () => {},
    submit: () => Promise.reject(new Error('nothing leaves')),
    find: async () => undefined,
    inLane: async () => [],
    noteRead: async () => {},
    shareReads: async () => {},
    retryNow: () => {},
    isDenied: () => false,
  };
  return openCapability(chat({ kinds: async () => [], importWorker: new URL('file:///nowhere') }), {
    settings,
    store: async () => store(),
    clock,
    services: { outbox },
  });
}

function configOf(...sources: string[]): ChatSettings {
  return { sources: Object.fromEntries(sources.map((id) => [id, { kind: 'archive' }])) };
}

async function ids({ status, parts }: OpenCapability): Promise<string[]> {
  const sources: { id: string }[] = (await status?.read(parts)) ?? [];
  return sources.map(({ id }) => id);
}
