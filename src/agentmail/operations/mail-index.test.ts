import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letterIndexOf } from '../../../tests/support/agentmail/letter-index.ts';
import { chatStore } from '../../../tests/support/chat/store.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { mailLog } from './mail-log.ts';
import { rebuildIndex } from './rebuild-index.ts';
import { search } from './search.ts';
import { thread } from './thread.ts';

const { store, clock } = chatStore();
const letters = () => letterIndexOf(store(), { clock });
const REPOSITORY = '/project/.agentmail';

describe('the index of agent mail', () => {
  test('is searched by words, by sender and by recipient', async () => {
    await fill();

    const found = await search.run({ words: ['deploy parser'], limit: 10 }, context());
    const ofAgent = await search.run({ words: ['deploy'], agent: 'c', repository: REPOSITORY, limit: 10 }, context());

    assert.deepEqual(
      found.letters.map(({ id }) => id),
      ['1'],
    );
    assert.deepEqual(
      ofAgent.letters.map(({ id }) => id),
      ['3'],
    );
  });

  test('is listed newest first, a page at a time', async () => {
    await fill();

    const first = await mailLog.run({ limit: 2 }, context());
    const rest = await mailLog.run({ limit: 2, cursor: first.next_cursor ?? '' }, context());

    assert.deepEqual(
      [...first.letters, ...rest.letters].map(({ id }) => id),
      ['3', '2', '1'],
    );
    assert.equal(rest.next_cursor, undefined);
    assert.partialDeepStrictEqual(first.letters[1], { from: 'b', to: 'a', in_reply_to: '1', repository: REPOSITORY });
  });

  test('has the thread of a letter, and reports an unknown letter', async () => {
    await fill();

    const { letters } = await thread.run({ id: '2' }, context());

    assert.deepEqual(
      letters.map(({ id }) => id),
      ['1', '2'],
    );
    await assert.rejects(thread.run({ id: 'none' }, context()), { code: 'MESSAGE_NOT_FOUND' });
  });

  test('is rebuilt from the mailboxes', async () => {
    const rebuilt = await rebuildIndex.run({}, context());

    assert.deepEqual(rebuilt, { repositories: 1, letters: 3 });
    assert.match(rebuildIndex.render?.(rebuilt) ?? '', /3/);
  });
});

async function fill(): Promise<void> {
  const letter = (id: string, from: string, to: string, message: string) => ({
    repository: REPOSITORY,
    id,
    from,
    to,
    message,
    createdAt: clock.now() + Number(id),
  });
  await letters().add([
    letter('1', 'a', 'b', 'Shall I deploy the parser?'),
    { ...letter('2', 'b', 'a', 'Yes.'), inReplyTo: '1' },
    letter('3', 'c', 'a', 'The deployment is done'),
  ]);
}

function context() {
  const indexer = { refresh: async () => {}, rebuild: async () => ({ repositories: 1, letters: 3 }) };
  return contextWith({ index: letters(), indexer });
}
