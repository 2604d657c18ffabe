import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openSide } from './delivery-state.ts';
import type { StoredLetter } from './letter-states.ts';

const NOW = 1_000_000;
const PAIR = '["a","b"]';
const MARK = { start: 10, next: 20, id: 'x' };

function open() {
  const folder = join(temporaryFolder(after), '.agentmail');
  return { folder, side: openSide(folder) };
}

function letter(id: string, from: string, to: string, storedAt = NOW): StoredLetter {
  return { id, mailbox: `mailboxes/${to}.jsonl`, from: { name: from }, to: { name: to }, storedAt, preview: id };
}

describe('what became of a letter', () => {
  test('goes from stored to announced, fetched and answered', () => {
    const { side } = open();
    const states = [];
    side.stored(letter('one', 'a', 'b'));
    states.push(side.sentBy({ name: 'a' }, 1)[0]?.state);
    side.announced(['one'], 'typed', NOW + 1);
    states.push(side.sentBy({ name: 'a' }, 1)[0]?.state);
    side.fetched('one', NOW + 2);
    states.push(side.sentBy({ name: 'a' }, 1)[0]?.state);

    side.stored(letter('two', 'b', 'a', NOW + 3));

    const [sent] = side.sentBy({ name: 'a' }, 1);
    assert.deepEqual(states, ['stored', 'announced', 'fetched']);
    assert.deepEqual(sent, {
      ...{ id: 'one', from: 'a', to: 'b', mailbox: 'mailboxes/b.jsonl', preview: 'one', state: 'answered' },
      ...{ storedAt: NOW, announcedAt: NOW + 1, announcedBy: 'typed', fetchedAt: NOW + 2 },
      ...{ answeredAt: NOW + 3, answerId: 'two' },
    });
    assert.equal(side.sentBy({ name: 'b' }, 1)[0]?.inReplyTo, 'one');
  });

  test('is answered only if it was fetched, the newest first, and by who it was for', () => {
    const { side } = open();
    for (const [index, id] of ['one', 'two', 'three'].entries()) side.stored(letter(id, 'a', 'b', NOW + index));
    for (const id of ['one', 'two']) side.fetched(id, NOW + 9);

    side.stored(letter('four', 'c', 'a', NOW + 10));
    side.stored(letter('five', 'b', 'a', NOW + 11));

    const answered = side.sentBy({ name: 'a' }, 9).filter(({ state }) => state === 'answered');
    assert.deepEqual(
      answered.map(({ id, answerId }) => [id, answerId]),
      [['two', 'five']],
    );
  });

  test('is open until it is fetched or bounced', () => {
    const { side } = open();
    for (const id of ['one', 'two', 'three']) side.stored(letter(id, 'a', 'b'));

    side.fetched('one', NOW);
    side.bounced('two', NOW);

    assert.deepEqual(
      side.open().map(({ id }) => id),
      ['three'],
    );
    assert.deepEqual(
      side.sentBy({ name: 'a' }, 9).map(({ state }) => state),
      ['stored', 'bounced', 'fetched'],
    );
  });

  test('is told to the window that sent it, whatever its name is now, and not to another of that name', () => {
    const { side } = open();
    side.stored({ ...letter('one', 'old', 'b'), from: { name: 'old', window: 'w1' } });

    const [renamed, namesake] = [
      { name: 'new', window: 'w1' },
      { name: 'old', window: 'w2' },
    ].map((party) => side.sentBy(party, 9).map(({ id }) => id));

    assert.deepEqual([renamed, namesake], [['one'], []]);
  });
});

describe('a lease', () => {
  const lease = { id: 'one', mailbox: 'm', holder: process.pid, until: NOW + 10, token: 't1' };

  test('is one holder’s until it ends or is given back', () => {
    const { side } = open();

    const taken = [side.lease(lease, NOW), side.lease(lease, NOW), side.lease(lease, NOW + 10)];
    side.release(lease);

    assert.deepEqual(taken, [true, false, true]);
    assert.deepEqual([...side.leased(NOW)], []);
  });

  test('is given back by its holder alone', () => {
    const { side } = open();
    side.lease(lease, NOW);
    side.lease({ ...lease, until: NOW + 30, token: 't2' }, NOW + 10);

    side.release(lease);

    assert.deepEqual([...side.leased(NOW + 10)], ['one']);
  });

  test('dies with its holder', () => {
    const { side } = open();
    side.lease({ ...lease, holder: 2 ** 22 + 1 }, NOW);

    assert.deepEqual([...side.leased(NOW)], []);
    assert.equal(side.lease(lease, NOW), true);
    assert.deepEqual([...side.leased(NOW)], ['one']);
  });

  test('ends, with the letter fetched, when its reader has it', () => {
    const { side } = open();
    side.stored(letter('one', 'a', 'b'));
    side.lease(lease, NOW, { read: MARK, counted: MARK, unread: 3 });
    const before = side.hint('m');

    side.settle('one', 'm', NOW + 1);

    assert.deepEqual(before, { read: MARK, counted: MARK, unread: 3 });
    assert.equal(side.hint('m'), undefined);
    assert.equal(side.sentBy({ name: 'a' }, 1)[0]?.fetchedAt, NOW + 1);
    assert.deepEqual([...side.leased(NOW)], []);
  });
});

describe('notes', () => {
  test('know every name of a window, the newest first', () => {
    const { side } = open();
    side.sawWindows([{ window: 'w', name: 'bash' }], NOW);
    side.sawWindows([{ window: 'w', name: 'claude' }], NOW + 1);
    side.sawWindows([{ window: 'v', name: 'other' }], NOW + 2);
    side.sawWindows([{ window: 'w', name: 'bash' }], NOW + 3);

    assert.deepEqual(side.namesOf('w'), ['bash', 'claude']);
  });

  test('keep ways, exchanges and agents without windows as they were given', () => {
    const { side } = open();
    side.keepWay('a', { kind: 'codex', thread: 't', since: NOW });
    side.keepExchange(PAIR, { count: 3, lastFrom: 'a', lastAt: NOW, stoppedAt: NOW });
    side.sawRemoteAgent('far', NOW);

    assert.deepEqual(side.way('a'), { kind: 'codex', thread: 't', since: NOW });
    const stopped = { count: 3, lastFrom: 'a', lastAt: NOW, stoppedAt: NOW };
    assert.deepEqual(
      [side.exchange(PAIR), side.exchanges()],
      [stopped, [{ ...stopped, pair: PAIR, agents: ['a', 'b'] }]],
    );
    assert.deepEqual([side.remoteAgents(NOW), side.remoteAgents(NOW + 1)], [['far'], []]);
    side.dropWay('a');
    side.dropExchange(PAIR);
    assert.deepEqual([side.way('a'), side.exchange(PAIR)], [undefined, undefined]);
  });

  test('forget what is long done, and no letter that nobody fetched', () => {
    const { side } = open();
    for (const id of ['read', 'unread']) side.stored(letter(id, 'a', 'b'));
    side.fetched('read', NOW);

    side.forget(NOW + 1);

    assert.deepEqual(
      side.sentBy({ name: 'a' }, 9).map(({ id }) => id),
      ['unread'],
    );
  });

  test('of an earlier version are kept', () => {
    const { folder, side } = open();
    side.sawRemoteAgent('known', NOW);
    side.close();
    const earlier = new DatabaseSync(join(folder, 'switchboard', 'side.db'));
    earlier.exec('drop table leases; create table leases(id text primary key, holder integer, until integer) strict');
    earlier.exec('pragma user_version = 1');
    earlier.close();

    const now = openSide(folder);

    assert.equal(now.lease({ id: 'x', mailbox: 'm', holder: process.pid, until: NOW + 1, token: 't' }, NOW), true);
    assert.deepEqual(now.remoteAgents(NOW), ['known']);
    now.close();
  });

  test('begin anew where the file is damaged, which is kept beside it', () => {
    const { folder, side } = open();
    side.close();
    writeFileSync(join(folder, 'switchboard', 'side.db'), 'this is no database, '.repeat(400));
    const warnings: string[] = [];

    const fresh = openSide(folder, (message) => warnings.push(message));
    fresh.sawRemoteAgent('works', NOW);

    assert.deepEqual(fresh.remoteAgents(NOW), ['works']);
    assert.equal(warnings.length, 1);
    assert.ok(readdirSync(join(folder, 'switchboard')).some((file) => file.includes('damaged')));
    fresh.close();
  });
});
