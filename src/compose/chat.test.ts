import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chatStore } from '../../tests/support/chat/store.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { type Config, ConfigSchema } from '../config/schema.ts';
import { composeChat } from './chat.ts';

const { store, clock } = chatStore();

describe('the sources of chat', () => {
  test('are those of the newest configuration, though an older one was slow to read', async (context) => {
    const slow = Promise.withResolvers<Config>();
    const read = [configOf(), slow.promise, configOf('new')];
    const chat = compose(async () => read.shift() ?? configOf('new'));
    await chat.capability.start?.();
    context.after(() => chat.capability.stop?.());

    const reloads = [chat.capability.reconfigured?.(), chat.capability.reconfigured?.()];
    slow.resolve(configOf('old'));
    await Promise.all(reloads);

    assert.deepEqual(await ids(chat), ['new']);
  });

  test('stay what they are when a configuration cannot be read, and follow the next one', async (context) => {
    const read = [async () => configOf('first'), () => Promise.reject(new Error('unreadable'))];
    const chat = compose(() => read.shift()?.() ?? Promise.resolve(configOf('second')));
    await chat.capability.start?.();
    context.after(() => chat.capability.stop?.());

    await assert.rejects(async () => chat.capability.reconfigured?.(), /unreadable/);
    const before = await ids(chat);
    await chat.capability.reconfigured?.();

    assert.deepEqual([before, await ids(chat)], [['first'], ['second']]);
  });
});

function compose(settings: () => Promise<Config>) {
  return composeChat({
    home: '',
    settings,
    store: async () => store(),
    outbox: { register: () => {}, submit: () => Promise.reject(new Error('nothing leaves')), retryNow: () => {} },
    clock,
    log: silentLog,
    more: async () => [],
  });
}

function configOf(...sources: string[]): Config {
  return ConfigSchema.parse({ sources: Object.fromEntries(sources.map((id) => [id, { kind: 'archive' }])) });
}

async function ids(chat: ReturnType<typeof composeChat>): Promise<string[]> {
  return (await chat.statuses()).map(({ id }) => id);
}
