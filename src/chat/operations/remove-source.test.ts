import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messageOf } from '../../../tests/support/chat/fake-network.ts';
import { chatStore } from '../../../tests/support/chat/store.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { removeSource } from './remove-source.ts';

const { store, sources, addSource, clock } = chatStore();
const forgotten: string[] = [];

describe('removing a source', () => {
  test('deletes all its messages and secrets, and nothing of other sources', async () => {
    await fill('old', 1_200);
    await fill('other', 3);
    addSource('old', { configuredIn: 'store' });

    const result = await remove('old');

    assert.deepEqual(result, { source: 'old', removed_messages: 1_200 });
    assert.equal((await store().messages.extent('old')).count, 0);
    assert.equal((await store().messages.extent('other')).count, 3);
    assert.deepEqual(await store().sources.withData(), ['other']);
    assert.deepEqual(forgotten, ['old']);
    assert.equal(removeSource.render?.(result), 'Removed old with 1200 messages.');
  });

  test('works for a source that is no longer configured', async () => {
    await fill('orphan', 1);

    assert.deepEqual(await remove('orphan'), { source: 'orphan', removed_messages: 1 });
  });

  test('unlists it before its messages are deleted', async () => {
    await fill('old', 3);
    await store().sources.add({ id: 'old', kind: 'archive', name: 'Old', settings: {}, createdAt: clock.now() });
    const seen: unknown[] = [];
    const reloadSources = async () => {
      seen.push(await store().sources.list(), (await store().messages.extent('old')).count);
    };

    await remove('old', { reloadSources });

    assert.deepEqual(seen, [[], 3]);
  });

  test('is refused while an import into it is running', async () => {
    await fill('old', 1);

    await assert.rejects(remove('old', { isRunning: true }), { code: 'BUSY', field: 'source' });

    assert.equal((await store().messages.extent('old')).count, 1);
  });

  test('is refused for a source in the configuration file, and for an unknown one', async () => {
    addSource('file', { configuredIn: 'file' });

    await assert.rejects(remove('file'), { code: 'CONFLICT' });
    await assert.rejects(remove('none'), { code: 'SOURCE_NOT_FOUND' });
  });
});

async function fill(source: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => messageOf(`m${index}`, clock.now() + index));
  for (let from = 0; from < count; from += 500) {
    await store().messages.record({ source, events: events.slice(from, from + 500), origin: 'import' });
  }
}

function remove(source: string, { isRunning = false, reloadSources = async () => {} } = {}) {
  const forgetSecrets = async (id: string) => void forgotten.push(id);
  const sourceRepository = store().sources;
  const imports = { isRunning: async () => isRunning };
  return removeSource.run(
    { source },
    contextWith({ sources, sourceRepository, imports, forgetSecrets, reloadSources }),
  );
}
