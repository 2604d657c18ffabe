import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexedLetter } from '../../../src/agentmail/ports.ts';
import { letterIndexOf } from '../agentmail/letter-index.ts';
import type { Store } from './open-store.ts';

const REPOSITORY = '/repo/.agentmail';

/** What every database must do with the index of agent mail. */
export function letterContract(store: () => Store): void {
  const letters = () => letterIndexOf(store());

  test('a letter is stored once, by its repository and id', async () => {
    await letters().add([letter('a', { message: 'first' }), letter('a', { message: 'again' })]);
    await letters().add([letter('a', { repository: '/other/.agentmail' })]);

    const { letters: found } = await letters().find({ limit: 10 });

    assert.deepEqual(
      found.map(({ repository, message }) => [repository, message]),
      [
        ['/other/.agentmail', 'text of a'],
        [REPOSITORY, 'first'],
      ],
    );
    assert.equal(await letters().count(), 2);
  });

  test('a letter is read back unchanged', async () => {
    const whole = letter('a', { createdAt: 1_700_000_000_000, inReplyTo: 'b' });
    const { createdAt: _, ...bare } = letter('c');
    await letters().add([whole, bare]);

    const { letters: found } = await letters().find({ limit: 10 });

    assert.deepEqual(found, [whole, bare]);
  });

  test('letters are listed newest first, page by page, in whatever order they were added', async () => {
    await letters().add(['c', 'a', 'e', 'b', 'd'].map((id) => letter(id)));

    const first = await letters().find({ limit: 2 });
    const second = await letters().find({
      limit: 2,
      ...(first.next === undefined ? {} : { cursor: first.next }),
    });
    const third = await letters().find({
      limit: 2,
      ...(second.next === undefined ? {} : { cursor: second.next }),
    });

    assert.deepEqual([first, second, third].map(idsOf), [['e', 'd'], ['c', 'b'], ['a']]);
    assert.equal(third.next, undefined);
  });

  test('letters are found by sender or recipient, and by repository', async () => {
    await letters().add([
      letter('a', { from: 'x', to: 'y' }),
      letter('b', { from: 'y', to: 'z' }),
      letter('c', { from: 'z', to: 'x', repository: '/other/.agentmail' }),
    ]);

    const ofX = await letters().find({ agent: 'x', limit: 10 });
    const here = await letters().find({ agent: 'x', repository: REPOSITORY, limit: 10 });

    assert.deepEqual([idsOf(ofX), idsOf(here)], [['c', 'a'], ['a']]);
  });

  test('letters are found by the prefixes of all words, ignoring case and accents', async () => {
    await letters().add([
      letter('a', { message: 'The Déploiement failed.' }),
      letter('b', { message: 'deploy works' }),
      letter('c', { message: 'nothing' }),
    ]);
    const find = async (...words: string[]) => idsOf(await letters().find({ words, limit: 10 }));

    assert.deepEqual(await find('deplo'), ['b', 'a']);
    assert.deepEqual(await find('DEPLOI', 'fail'), ['a']);
    assert.deepEqual(await find('deploy', 'nothing'), []);
  });

  test('search operators are treated as words', async () => {
    await letters().add([letter('a', { message: 'a OR "b" NEAR(c) * message:x' })]);
    const find = async (...words: string[]) => idsOf(await letters().find({ words, limit: 10 }));

    assert.deepEqual(await find('"b"'), ['a']);
    assert.deepEqual(await find('NEAR(c)'), ['a']);
    assert.deepEqual(await find('message:x'), ['a']);
    assert.deepEqual(await find('OR', 'zzz'), []);
    assert.deepEqual(await find('*'), []);
  });

  test('a thread is the letter it replies to and the replies, oldest first', async () => {
    await letters().add(['a', 'b', 'c', 'd', 'e'].map((id) => letter(id)));
    await letters().link(REPOSITORY, [
      { id: 'b', inReplyTo: 'a' },
      { id: 'c', inReplyTo: 'b' },
      { id: 'd', inReplyTo: 'a' },
    ]);

    const threads = await Promise.all(['a', 'c', 'e', 'nobody'].map((id) => letters().thread(id)));

    assert.deepEqual(
      threads.map((thread) => idsOf({ letters: thread })),
      [['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd'], ['e'], []],
    );
  });

  test('letters that reply to each other in a circle are a thread', async () => {
    await letters().add([letter('a', { inReplyTo: 'b' }), letter('b', { inReplyTo: 'a' })]);

    assert.deepEqual(idsOf({ letters: await letters().thread('a') }), ['a', 'b']);
  });

  test('sending and receiving a letter appends an event without its content', async () => {
    await letters().record(letter('a', { message: 'secret' }), 'sent');
    await letters().record(letter('a', { message: 'secret' }), 'received');

    const events = await store().events.read(0, { types: ['agentmail.'] });

    assert.deepEqual(
      events.map(({ type, subject, data }) => ({ type, subject, data })),
      ['agentmail.sent', 'agentmail.received'].map((type) => ({
        type,
        subject: 'a',
        data: { from: 'x', to: 'y', repository: REPOSITORY },
      })),
    );
    assert.equal(await letters().count(), 1);
  });

  test('the read position of a mailbox is stored until it is cleared; indexed letters are kept', async () => {
    const mark = { path: '/repo/box', bytes: 100, lineStart: 50, lastId: 'a' };
    await letters().add([letter('a')], mark);
    await letters().add([letter('b')], { ...mark, bytes: 200 });

    const kept = await letters().mark('/repo/box');
    await letters().clearMarks();

    assert.deepEqual(kept, { ...mark, bytes: 200 });
    assert.equal(await letters().mark('/repo/box'), undefined);
    assert.deepEqual(idsOf(await letters().find({ words: ['text'], limit: 10 })), ['b', 'a']);
  });

  test('repositories are stored with the tmux sessions of their agents, latest first', async () => {
    await store().agentmail.repositories.note('/one', { tmux: '/tmp/tmux,1,0', pane: '%1' });
    await store().agentmail.repositories.note('/two');
    await store().agentmail.repositories.note('/one', { tmux: '/tmp/tmux,1,0', pane: '%2' });
    await store().agentmail.repositories.note('/one', { tmux: '/tmp/tmux,1,0', pane: '%1' });

    const known = await store().agentmail.repositories.list();

    assert.deepEqual(known.map(({ folder }) => folder).sort(), ['/one', '/two']);
    assert.deepEqual(
      known
        .find(({ folder }) => folder === '/one')
        ?.sessions.map(({ pane }) => pane)
        .sort(),
      ['%1', '%2'],
    );
  });

  test('only the latest sessions of a repository are kept', async () => {
    for (let number = 0; number < 30; number += 1) {
      await store().agentmail.repositories.note('/one', { tmux: 'tmux', pane: `%${number}` });
    }

    const [one] = await store().agentmail.repositories.list();

    assert.equal(one?.sessions.length, 20);
    assert.equal(one.sessions[0]?.pane, '%29');
  });
}

/** Letters called later in the alphabet are later. */
function letter(id: string, facts: Partial<IndexedLetter> = {}): IndexedLetter {
  const createdAt = 1_700_000_000_000 + (id.codePointAt(0) ?? 0);
  return { repository: REPOSITORY, id, from: 'x', to: 'y', message: `text of ${id}`, createdAt, ...facts };
}

function idsOf({ letters }: { letters: readonly IndexedLetter[] }): string[] {
  return letters.map(({ id }) => id);
}
