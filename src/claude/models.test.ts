import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import type { ClaudeApi, ClaudeModel } from './api/request.ts';
import { createModels } from './models.ts';

const { signal } = new AbortController();
const model = (id: string, createdAt: string, lifecycle = 'active'): ClaudeModel => ({
  id,
  name: id,
  line: 'opus',
  lifecycle,
  createdAt,
});

test('a short name is the newest active model of its line, and any other text is an id', async () => {
  let lists = 0;
  const listed = [model('opus-6', '2026-10'), model('opus-7', '2026-12', 'deprecated'), model('opus-5', '2026-01')];
  const api = async () =>
    ({
      async models() {
        lists += 1;
        return listed;
      },
    }) as unknown as ClaudeApi;
  const models = createModels({ api, clock: manualClock() });

  const names = [
    await models.resolve('opus', signal),
    await models.resolve('opus', signal),
    await models.resolve('my-model', signal),
  ];

  assert.deepEqual(names, ['opus-6', 'opus-6', 'my-model']);
  assert.equal(lists, 1);
});

test('a short name works where the API cannot be asked', async () => {
  const models = createModels({ api: () => Promise.reject(new Error('no key')), clock: manualClock() });

  assert.equal(await models.resolve('haiku', signal), 'claude-haiku-5-5');
  await assert.rejects(models.list(signal), /no key/);
});
