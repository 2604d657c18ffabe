import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from './errors.ts';
import type { OutboxId } from './ids.ts';
import { decide, evolve, type OutboxCommand, type OutboxItem } from './outbox.ts';

const NOW = 1_000;
const STATES: OutboxItem['state'][] = ['queued', 'held', 'sending', 'sent', 'failed', 'uncertain', 'discarded'];

describe('an outgoing item', () => {
  test('is leased, counted and sent, with the id of the network', () => {
    const taken = apply(itemThatIs('queued'), { kind: 'take' });

    const sent = apply(taken, { kind: 'sent', externalId: 'net-7' });

    assert.deepEqual([taken.state, taken.attempts], ['sending', 1]);
    assert.deepEqual([sent.state, sent.externalId, sent.changedAt], ['sent', 'net-7', NOW]);
  });

  test('that failed temporarily is queued again with a later timestamp and the reason', () => {
    const item = apply(itemThatIs('sending'), { kind: 'fail', reason: 'The network is down.', retryAt: 5_000 });

    assert.deepEqual([item.state, item.dueAt, item.reason], ['queued', 5_000, 'The network is down.']);
  });

  test('that failed permanently remains failed until it is retried, and then is due immediately', () => {
    const failed = apply(itemThatIs('sending'), { kind: 'fail', reason: 'No such chat.' });

    const retried = apply(failed, { kind: 'retry' });

    assert.deepEqual([failed.state, failed.reason], ['failed', 'No such chat.']);
    assert.deepEqual([retried.state, retried.dueAt, retried.reason], ['queued', NOW, undefined]);
  });

  test('whose outcome is unknown is uncertain, until it is verified or retried', () => {
    const uncertain = apply(itemThatIs('sending'), { kind: 'lose-track', reason: 'The connection broke.' });

    assert.deepEqual([uncertain.state, uncertain.reason], ['uncertain', 'The connection broke.']);
    assert.equal(apply(uncertain, { kind: 'sent' }).state, 'sent');
    assert.equal(apply(uncertain, { kind: 'fail', reason: 'It did not arrive.' }).state, 'failed');
    assert.equal(apply(uncertain, { kind: 'retry' }).state, 'queued');
  });

  test('that was sent tells who did not get it', () => {
    const taken = apply(itemThatIs('queued'), { kind: 'take' });

    const sent = apply(taken, { kind: 'sent', reason: 'Not accepted for joe@example.org.' });

    assert.deepEqual([sent.state, sent.reason], ['sent', 'Not accepted for joe@example.org.']);
  });

  test('that is held is sent only after approval', () => {
    const held = itemThatIs('held');

    const approved = apply(held, { kind: 'approve', by: 'local' });

    assert.throws(() => decide(held, { kind: 'take' }, NOW), conflict);
    assert.deepEqual([approved.state, approved.dueAt], ['queued', NOW]);
  });

  test('that is queued or being sent can be held, unless a person approved it', () => {
    const hold: OutboxCommand = { kind: 'hold', reason: 'The policy asks.' };

    const held = apply(itemThatIs('sending'), hold);
    const late = apply(itemThatIs('uncertain'), hold);
    const approved = apply(held, { kind: 'approve', by: 'owner' });

    assert.deepEqual([held.state, held.reason, approved.approvedBy], ['held', 'The policy asks.', 'owner']);
    assert.equal(late.state, 'held', 'the verdict of an attempt that took too long');
    assert.throws(() => decide(approved, hold, NOW), conflict);
  });

  test('can be discarded, with a reason or without, but not while it is being sent', () => {
    assert.equal(apply(itemThatIs('held'), { kind: 'discard', reason: 'Wrong chat.' }).reason, 'Wrong chat.');
    assert.equal(apply(itemThatIs('queued'), { kind: 'discard' }).state, 'discarded');
    assert.throws(() => decide(itemThatIs('sending'), { kind: 'discard' }, NOW), conflict);
  });

  test('that a person retries or approves has its attempts reset', () => {
    const failed = { ...itemThatIs('failed'), attempts: 7 };

    assert.equal(apply(failed, { kind: 'retry' }).attempts, 0);
    assert.equal(
      apply({ ...itemThatIs('sending'), attempts: 7 }, { kind: 'fail', reason: 'x', retryAt: 2 }).attempts,
      7,
    );
  });

  test('whose content was deleted cannot be sent again', () => {
    const emptied = { ...itemThatIs('failed'), payload: {} };

    assert.throws(() => decide(emptied, { kind: 'retry' }, NOW), conflict);
    assert.equal(apply(emptied, { kind: 'discard' }).state, 'discarded');
  });

  test('that was sent or discarded never changes again', () => {
    for (const state of ['sent', 'discarded'] as const) {
      for (const command of everyCommand()) {
        assert.throws(() => decide(itemThatIs(state), command, NOW), conflict);
      }
    }
  });

  test('is sent at most once, after any sequence of commands, unless a person retries', () => {
    const commands = fc.array(fc.constantFrom(...everyCommand().filter(({ kind }) => kind !== 'retry')));

    fc.assert(
      fc.property(fc.constantFrom<OutboxItem['state']>('queued', 'held'), commands, (state, orders) => {
        const history = follow(itemThatIs(state), orders);

        assert.ok(history.filter((step) => step === 'sent').length <= 1);
        assert.ok(history.every((step) => STATES.includes(step)));
      }),
    );
  });
});

function everyCommand(): OutboxCommand[] {
  return [
    { kind: 'take' },
    { kind: 'sent' },
    { kind: 'fail', reason: 'x' },
    { kind: 'lose-track', reason: 'x' },
    { kind: 'approve', by: 'local' },
    { kind: 'discard' },
    { kind: 'retry' },
  ];
}

function follow(item: OutboxItem, commands: readonly OutboxCommand[]): OutboxItem['state'][] {
  let current = item;
  const history = [current.state];
  for (const command of commands) {
    try {
      current = apply(current, command);
      history.push(current.state);
    } catch (error) {
      assert.ok(conflict(error));
    }
  }
  return history;
}

function apply(item: OutboxItem, command: OutboxCommand): OutboxItem {
  return decide(item, command, NOW).reduce((current, event) => evolve(current, event, NOW), item);
}

function itemThatIs(state: OutboxItem['state']): OutboxItem {
  return {
    id: 'item-1' as OutboxId,
    sender: 'chat',
    through: 'irc',
    recipients: [],
    summary: 'hello',
    payload: { text: 'hello' },
    principal: 'local',
    state,
    attempts: 0,
    createdAt: 1,
    changedAt: 1,
    dueAt: 1,
  };
}

function conflict(error: unknown): boolean {
  return error instanceof AppError && error.code === 'CONFLICT';
}
