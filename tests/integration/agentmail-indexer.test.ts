import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openDeliveryState } from '../../src/agentmail/delivery/delivery-state.ts';
import { createIndexer } from '../../src/agentmail/indexer/indexer.ts';
import { encodeLine } from '../../src/agentmail/mailbox/line.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { letterIndexOf } from '../support/agentmail/letter-index.ts';
import { until } from '../support/mcp/shim-program.ts';
import { silentLog } from '../support/operation-context.ts';
import { openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('indexing mailboxes', () => {
  test('reads existing letters, and later those that were added', async (context) => {
    const { refresh, box, found } = await build(context);
    box('a2', line('one'), line('two'));
    await refresh();
    appendFileSync(box('a2'), line('three'));

    await refresh();

    assert.deepEqual(await found(), ['one', 'three', 'two']);
  });

  test('skips an incomplete last line until it is complete', async (context) => {
    const { refresh, box, found } = await build(context);
    const whole = line('two');
    box('a2', line('one'), whole.slice(0, 20));
    await refresh();
    const before = await found();
    appendFileSync(box('a2'), whole.slice(20));

    await refresh();

    assert.deepEqual([before, await found()], [['one'], ['one', 'two']]);
  });

  test('rereads the whole file after another program has rewritten it', async (context) => {
    const { refresh, box, found } = await build(context);
    box('a2', line('one'), line('two'));
    await refresh();
    writeFileSync(box('a2'), [line('two', true), line('three'), line('four'), line('five')].join(''));

    await refresh();

    assert.deepEqual(await found(), ['five', 'four', 'one', 'three', 'two']);
  });

  test('skips lines that are not letters, and symbolic links', async (context) => {
    const { refresh, box, found, folder } = await build(context);
    box('a2', '{"broken\n', '\n', line('one'), '[]\n');
    symlinkSync(box('a2'), join(folder, 'mailboxes', 'a3.jsonl'));

    await refresh();

    assert.deepEqual(await found(), ['one']);
  });

  test('reads thousands of letters, and a mailbox larger than one read', async (context) => {
    const { refresh, box, letters } = await build(context);
    const long = Array.from({ length: 3_000 }, (_, number) => line(`n${number}`, false, 'x'.repeat(500)));
    box('a2', ...long);

    await refresh();

    // A caller does not wait for all of it; reading continues in the background.
    await until('all are read', async () => (await letters.count()) === 3_000);
  });

  test('links replies to letters by the delivery state', async (context) => {
    const { refresh, box, letters, folder } = await build(context);
    const state = openDeliveryState(folder);
    context.after(() => state.close());
    const note = (id: string, from: string, to: string, storedAt: number) =>
      state.stored({ id, mailbox: 'x', from: { name: from }, to: { name: to }, storedAt, preview: '' });
    box('a2', line('question'));
    box('a1', line('answer').replace('19:50:15Z', '19:50:16Z'));
    note('question', 'a1', 'a2', 1);
    state.fetched('question', 2);
    note('answer', 'a2', 'a1', 3);

    await refresh();

    const thread = await letters.thread('question');
    assert.deepEqual(
      thread.map(({ id, inReplyTo }) => [id, inReplyTo]),
      [
        ['question', undefined],
        ['answer', 'question'],
      ],
    );
  });

  test('finds mail of a linked worktree whose path is stored relative to the link file', async (context) => {
    const { refresh, folder, found } = await build(context);
    const root = dirname(folder);
    const mailboxes = join(root, 'linked', '.agentmail', 'mailboxes');
    for (const made of [join(root, '.git', 'worktrees', 'linked'), mailboxes]) mkdirSync(made, { recursive: true });
    writeFileSync(join(root, '.git', 'worktrees', 'linked', 'gitdir'), '../../../linked/.git\n');
    writeFileSync(join(root, 'linked', '.git'), 'gitdir: ../.git/worktrees/linked\n');
    writeFileSync(join(mailboxes, 'a2.jsonl'), line('one'));

    await refresh();

    assert.deepEqual(await found(), ['one']);
  });

  test('does not read the mail of a folder that a repository names as its worktree, but that does not name it', async (context) => {
    const { refresh, folder, found } = await build(context);
    const [root, victim] = [dirname(folder), temporaryFolder((end) => context.after(end))];
    const notes = join(root, '.git', 'worktrees', 'forged');
    for (const made of [notes, join(victim, '.git'), join(victim, '.agentmail', 'mailboxes')])
      mkdirSync(made, { recursive: true });
    writeFileSync(join(notes, 'gitdir'), join(victim, '.git'));
    writeFileSync(join(victim, '.agentmail', 'mailboxes', 'a2.jsonl'), line('secret'));

    await refresh();

    assert.deepEqual(await found(), []);
  });

  test('skips a repository that was deleted', async (context) => {
    const { refresh, box, found, store } = await build(context);
    await store.agentmail.repositories.note('/nowhere/at/all/.agentmail');
    box('a2', line('one'));

    await refresh();

    assert.deepEqual(await found(), ['one']);
  });
});

async function build(context: TestContext) {
  const root = temporaryFolder((end) => context.after(end));
  const folder = join(root, '.agentmail');
  mkdirSync(join(folder, 'mailboxes'), { recursive: true });
  const store = await openStore({ url: 'sqlite::memory:', home: root, clock: systemClock, log: silentLog });
  context.after(() => store.close());
  await store.agentmail.repositories.note(folder);
  const letters = letterIndexOf(store);
  const indexer = createIndexer({ index: letters, repositories: store.agentmail.repositories, log: silentLog });
  context.after(indexer.stop);
  return {
    folder,
    store,
    letters,
    refresh: indexer.refresh,
    /** The path of a mailbox, which is created if lines are given. */
    box(name: string, ...lines: string[]): string {
      const path = join(folder, 'mailboxes', `${name}.jsonl`);
      if (lines.length > 0) writeFileSync(path, lines.join(''));
      return path;
    },
    async found(): Promise<string[]> {
      const page = await letters.find({ limit: 100 });
      return page.letters.map(({ id }) => id).sort();
    },
  };
}

function line(id: string, isRead = false, message = `text of ${id}`): string {
  return encodeLine({ id, from: 'a1', to: 'a2', message, isRead, createdAt: '2026-11-15T19:50:15Z' });
}
