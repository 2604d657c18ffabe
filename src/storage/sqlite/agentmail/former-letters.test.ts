import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { letterIndexOf } from '../../../../tests/support/agentmail/letter-index.ts';
import { manualClock } from '../../../../tests/support/manual-clock.ts';
import { silentLog } from '../../../../tests/support/operation-context.ts';
import { openStore } from '../../../../tests/support/store/open-store.ts';
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts';
import { openDatabase } from '../database.ts';
import { SHARED_MIGRATIONS } from '../migrations/index.ts';

const clock = manualClock();
const HERE = '/gone/.agentmail';
const ELSEWHERE = '/elsewhere/.agentmail';

describe('a store whose letters are in an index of their own', () => {
  test('opens, and every letter of it is found, though its mailbox is gone', async () => {
    const { store, index } = await reopened([
      { id: 'one', message: 'Shall I deploy?', createdAt: 1_000 },
      { id: 'two', message: 'Yes.', createdAt: 2_000, inReplyTo: 'one', from: 'b', to: 'a' },
      { id: 'undated', message: 'deployed long ago' },
      { id: 'one', repository: ELSEWHERE, message: 'another deployment', createdAt: 3_000 },
    ]);

    const { letters: all } = await index.find({ limit: 10 });
    const { letters: found } = await index.find({ words: ['deploy'], repository: HERE, limit: 10 });
    const thread = await index.thread('two');

    assert.deepEqual(
      all.map(({ repository, id, from, to, createdAt, inReplyTo }) => [repository, id, from, to, createdAt, inReplyTo]),
      [
        [ELSEWHERE, 'one', 'a', 'b', 3_000, undefined],
        [HERE, 'two', 'b', 'a', 2_000, 'one'],
        [HERE, 'one', 'a', 'b', 1_000, undefined],
        [HERE, 'undated', 'a', 'b', undefined, undefined],
      ],
    );
    assert.deepEqual([found, thread].map(idsOf), [
      ['one', 'undated'],
      ['one', 'two'],
    ]);
    const { messages } = await store.messages.find({ sources: ['agentmail'] }, { limit: 10 });
    assert.equal(messages.length, 4);
  });

  test('has each letter once, also where chat had it already, and is copied once', async () => {
    const letters = [{ id: 'one', message: 'hello', createdAt: 1_000 }];
    const { store, index } = await reopened(letters);
    await index.add([{ repository: HERE, from: 'a', to: 'b', ...letters[0], id: 'one', message: 'hello' }]);

    await index.copyFormerLetters();
    await letterIndexOf(store, { clock }).copyFormerLetters();

    assert.equal(await index.count(), 1);
  });

  test('has more of them than are copied at a time', async () => {
    const { index } = await reopened(manyLetters());

    assert.equal(await index.count(), 1_201);
  });

  test('is copied once for concurrent callers', async () => {
    const { store } = await reopened(manyLetters());
    const indexes = Array.from({ length: 8 }, () => letterIndexOf(store, { clock }));

    const counts = await Promise.all(indexes.map((index) => index.count()));

    assert.deepEqual(new Set(counts), new Set([1_201]));
  });
});

function manyLetters(): FormerLetter[] {
  return Array.from({ length: 1_201 }, (_, number) => ({
    id: `n${number}`,
    message: `letter ${number}`,
    createdAt: 1_000 + number,
  }));
}

interface FormerLetter {
  repository?: string;
  id: string;
  from?: string;
  to?: string;
  message: string;
  createdAt?: number;
  inReplyTo?: string;
}

/** A store as the version before left it, opened by this one. */
async function reopened(letters: readonly FormerLetter[]) {
  const home = temporaryFolder(after);
  const location = join(home, 'switchboard.db');
  const former = await openDatabase({ location, migrations: { shared: SHARED_MIGRATIONS, capabilities: {} }, clock });
  await former.write((tx) => {
    for (const { repository = HERE, id, from = 'a', to = 'b', message, createdAt = 0, inReplyTo = null } of letters) {
      tx.run(
        `insert into agentmail_letters (repository, id, sender, recipient, message, created_at, in_reply_to)
         values (?, ?, ?, ?, ?, ?, ?)`,
        ...[repository, id, from, to, message, createdAt, inReplyTo],
      );
    }
    tx.run(`insert into agentmail_words (agentmail_words) values ('rebuild')`);
  });
  await former.close();
  const store = await openStore({ url: 'sqlite', home, clock, log: silentLog });
  after(() => store.close());
  return { store, index: letterIndexOf(store, { clock }) };
}

function idsOf(letters: readonly { id: string }[]): string[] {
  return letters.map(({ id }) => id);
}
