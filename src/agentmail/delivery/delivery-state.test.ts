import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openDeliveryState } from './delivery-state.ts';
import type { StoredLetter } from './letter-states.ts';

const NOW = 1_000_000;
const PAIR = '["a","b"]';
const MARK = { start: 10, next: 20, id: 'x' };

function open() {
  const folder = join(temporaryFolder(after), '.agentmail');
  return { folder, state: openDeliveryState(folder) };
}

function letter(id: string, from: string, to: string, storedAt = NOW): StoredLetter {
  return { id, mailbox: `mailboxes/${to}.jsonl`, from: { name: from }, to: { name: to }, storedAt, preview: id };
}

describe('the state of a letter', () => {
  test('changes from stored to announced, fetched and answered', () => {
    const { state } = open();
    const states = [];
    state.stored(letter('one', 'a', 'b'));
    states.push(state.sentBy({ name: 'a' }, 1)[0]?.state);
    state.announced(['one'], 'typed', NOW + 1);
    states.push(state.sentBy({ name: 'a' }, 1)[0]?.state);
    state.fetched('one', NOW + 2);
    states.push(state.sentBy({ name: 'a' }, 1)[0]?.state);

    state.stored(letter('two', 'b', 'a', NOW + 3));

    const [sent] = state.sentBy({ name: 'a' }, 1);
    assert.deepEqual(states, ['stored', 'announced', 'fetched']);
    assert.deepEqual(sent, {
      ...{ id: 'one', from: 'a', to: 'b', mailbox: 'mailboxes/b.jsonl', preview: 'one', state: 'answered' },
      ...{ storedAt: NOW, announcedAt: NOW + 1, announcedBy: 'typed', fetchedAt: NOW + 2 },
      ...{ answeredAt: NOW + 3, answerId: 'two' },
    });
    assert.equal(state.sentBy({ name: 'b' }, 1)[0]?.inReplyTo, 'one');
  });

  test('is answered only for the newest fetched letter, and only by its recipient', () => {
    const { state } = open();
    for (const [index, id] of ['one', 'two', 'three'].entries()) state.stored(letter(id, 'a', 'b', NOW + index));
    for (const id of ['one', 'two']) state.fetched(id, NOW + 9);

    state.stored(letter('four', 'c', 'a', NOW + 10));
    state.stored(letter('five', 'b', 'a', NOW + 11));

    const answered = state.sentBy({ name: 'a' }, 9).filter(({ state }) => state === 'answered');
    assert.deepEqual(
      answered.map(({ id, answerId }) => [id, answerId]),
      [['two', 'five']],
    );
  });

  test('is open until it is fetched or bounced', () => {
    const { state } = open();
    for (const id of ['one', 'two', 'three']) state.stored(letter(id, 'a', 'b'));

    state.fetched('one', NOW);
    state.bounced('two', NOW);

    assert.deepEqual(
      state.open().map(({ id }) => id),
      ['three'],
    );
    assert.deepEqual(
      state.sentBy({ name: 'a' }, 9).map(({ state }) => state),
      ['stored', 'bounced', 'fetched'],
    );
  });

  test('is reported to the window that sent it, also after a rename, and not to another window of that name', () => {
    const { state } = open();
    state.stored({ ...letter('one', 'old', 'b'), from: { name: 'old', window: 'w1' } });

    const [renamed, namesake] = [
      { name: 'new', window: 'w1' },
      { name: 'old', window: 'w2' },
    ].map((party) => state.sentBy(party, 9).map(({ id }) => id));

    assert.deepEqual([renamed, namesake], [['one'], []]);
  });
});

describe('a lease', () => {
  const lease = { id: 'one', mailbox: 'm', holder: process.pid, until: NOW + 10, token: 't1' };

  test('has one holder until it expires or is released', () => {
    const { state } = open();

    const taken = [state.lease(lease, NOW), state.lease(lease, NOW), state.lease(lease, NOW + 10)];
    state.release(lease);

    assert.deepEqual(taken, [true, false, true]);
    assert.deepEqual([...state.leased(NOW)], []);
  });

  test('is released only by its holder', () => {
    const { state } = open();
    state.lease(lease, NOW);
    state.lease({ ...lease, until: NOW + 30, token: 't2' }, NOW + 10);

    state.release(lease);

    assert.deepEqual([...state.leased(NOW + 10)], ['one']);
  });

  test('ends with the process of its holder', () => {
    const { state } = open();
    state.lease({ ...lease, holder: 2 ** 22 + 1 }, NOW);

    assert.deepEqual([...state.leased(NOW)], []);
    assert.equal(state.lease(lease, NOW), true);
    assert.deepEqual([...state.leased(NOW)], ['one']);
  });

  test('ends when the letter is acknowledged, which is then fetched', () => {
    const { state } = open();
    state.stored(letter('one', 'a', 'b'));
    state.lease(lease, NOW, { read: MARK, counted: MARK, unread: 3 });
    const before = state.hint('m');

    state.settle('one', 'm', NOW + 1);

    assert.deepEqual(before, { read: MARK, counted: MARK, unread: 3 });
    assert.equal(state.hint('m'), undefined);
    assert.equal(state.sentBy({ name: 'a' }, 1)[0]?.fetchedAt, NOW + 1);
    assert.deepEqual([...state.leased(NOW)], []);
  });
});

describe('delivery state', () => {
  test('has every name of a window, the newest first', () => {
    const { state } = open();
    state.sawWindows([{ window: 'w', name: 'bash' }], NOW);
    state.sawWindows([{ window: 'w', name: 'claude' }], NOW + 1);
    state.sawWindows([{ window: 'v', name: 'other' }], NOW + 2);
    state.sawWindows([{ window: 'w', name: 'bash' }], NOW + 3);

    assert.deepEqual(state.namesOf('w'), ['bash', 'claude']);
  });

  test('stores wake methods, exchanges and remote agents', () => {
    const { state } = open();
    state.keepWakeMethod('a', { kind: 'codex', thread: 't', since: NOW });
    state.keepExchange(PAIR, { count: 3, lastFrom: 'a', lastAt: NOW, stoppedAt: NOW });
    state.sawRemoteAgent('far', NOW);

    assert.deepEqual(state.wakeMethod('a'), { kind: 'codex', thread: 't', since: NOW });
    const stopped = { count: 3, lastFrom: 'a', lastAt: NOW, stoppedAt: NOW };
    assert.deepEqual(
      [state.exchange(PAIR), state.exchanges()],
      [stopped, [{ ...stopped, pair: PAIR, agents: ['a', 'b'] }]],
    );
    assert.deepEqual([state.remoteAgents(NOW), state.remoteAgents(NOW + 1)], [['far'], []]);
    state.dropWakeMethod('a');
    state.dropExchange(PAIR);
    assert.deepEqual([state.wakeMethod('a'), state.exchange(PAIR)], [undefined, undefined]);
  });

  test('deletes old finished letters, but no unread one', () => {
    const { state } = open();
    for (const id of ['read', 'unread']) state.stored(letter(id, 'a', 'b'));
    state.fetched('read', NOW);

    state.forget(NOW + 1);

    assert.deepEqual(
      state.sentBy({ name: 'a' }, 9).map(({ id }) => id),
      ['unread'],
    );
  });

  test('stores why agents were not notified, and replaces it as a whole', () => {
    const { state } = open();
    const one = { agent: '1:1:@1', reason: 'draft', since: NOW } as const;
    const other = { agent: '1:1:@2', reason: 'no-prompt', since: NOW } as const;

    state.keepUnwoken([one, other]);
    state.keepUnwoken([{ ...other, reason: 'working' }]);

    assert.deepEqual(
      state.unwoken().map((each) => ({ ...each })),
      [{ ...other, reason: 'working' }],
    );
  });

  test('of version 2 keeps what it has', () => {
    const { folder, state } = open();
    state.sawRemoteAgent('known', NOW);
    state.close();
    const earlier = new DatabaseSync(join(folder, 'switchboard', 'side.db'));
    earlier.exec('drop table unwoken; pragma user_version = 2');
    earlier.close();

    const now = openDeliveryState(folder);

    now.keepUnwoken([{ agent: 'a', reason: 'draft', since: NOW }]);
    assert.equal(now.unwoken().length, 1);
    assert.deepEqual(now.remoteAgents(NOW), ['known']);
    now.close();
  });

  test('of another version is renamed and created again', () => {
    const { folder, state } = open();
    state.sawRemoteAgent('known', NOW);
    state.close();
    const earlier = new DatabaseSync(join(folder, 'switchboard', 'side.db'));
    earlier.exec('drop table leases; create table leases(id text primary key, holder integer, until integer) strict');
    earlier.exec('pragma user_version = 1');
    earlier.close();

    const now = openDeliveryState(folder);

    assert.equal(now.lease({ id: 'x', mailbox: 'm', holder: process.pid, until: NOW + 1, token: 't' }, NOW), true);
    assert.deepEqual(now.remoteAgents(NOW), []);
    assert.ok(readdirSync(join(folder, 'switchboard')).some((file) => file.includes('untrusted')));
    now.close();
  });

  test('is created again if the file is damaged; the damaged file is renamed', () => {
    const { folder, state } = open();
    state.close();
    writeFileSync(join(folder, 'switchboard', 'side.db'), 'this is no database, '.repeat(400));
    const warnings: string[] = [];

    const fresh = openDeliveryState(folder, (message) => warnings.push(message));
    fresh.sawRemoteAgent('works', NOW);

    assert.deepEqual(fresh.remoteAgents(NOW), ['works']);
    assert.equal(warnings.length, 1);
    assert.ok(readdirSync(join(folder, 'switchboard')).some((file) => file.includes('damaged')));
    fresh.close();
  });
});
