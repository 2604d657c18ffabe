import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { openStore } from '../storage/store.ts';
import { bridgedIndex } from './mail-bridge.ts';

test('a letter that claims to be from the future does not stand above everything else', async (context) => {
  const clock = manualClock();
  const store = await openStore({ url: 'sqlite::memory:', home: '/nowhere', clock, log: silentLog });
  context.after(() => store.close());
  const index = bridgedIndex({ index: store.letters, messages: store.messages, clock, onMail: async () => {} });
  const letter = { repository: '/somewhere', id: '1', from: 'Ada', to: 'Bob', message: 'hello' };

  await index.add([{ ...letter, createdAt: Date.UTC(9999, 0, 1) }]);

  const { messages } = await store.messages.find({}, { limit: 10 });
  assert.deepEqual(
    messages.map(({ at }) => at),
    [clock.now()],
  );
});
