import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openDeliveryState } from './delivery-state.ts';
import { forgetListener, noteStatus, noteWakeMethod, wakeMethodOf } from './wake-methods.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ME = { name: 'a1', window: '1:1:@1' };
const PAIR = JSON.stringify(['a1', 'a2']);

describe('the wake method of an agent', () => {
  test('is merged, and belongs to the window under any name', () => {
    const state = open();

    noteWakeMethod(state, ME, { thread: 't1' });
    noteWakeMethod(state, { ...ME, name: 'renamed' }, { kind: 'listener', pid: 7 });

    assert.deepEqual(wakeMethodOf(state, ME), { kind: 'listener', pid: 7, thread: 't1', since: 0 });
  });

  test('of a listener is removed when it ends, unless a newer listener replaced it', () => {
    const state = open();
    noteWakeMethod(state, ME, { kind: 'listener', pid: 8 });

    forgetListener(state, ME, 7);
    assert.equal(wakeMethodOf(state, ME)?.pid, 8);
    forgetListener(state, ME, 8);

    assert.deepEqual(wakeMethodOf(state, ME), { kind: 'typed', since: 0 });
  });

  test('has the foreground process when the agent is ready, and is removed when it goes offline', () => {
    const state = open();

    noteStatus(state, ME, 'ready', { foreground: 99 }, NOW);
    assert.equal(wakeMethodOf(state, ME)?.foreground, 99);
    noteStatus(state, ME, 'offline', {}, NOW);

    assert.equal(wakeMethodOf(state, ME), undefined);
  });
});

describe('a stopped exchange', () => {
  test('continues when an agent gets a prompt that is not a notice, because a person typed it', () => {
    const state = stopped();
    noteWakeMethod(state, ME, { since: NOW - 60_000 });

    noteStatus(state, ME, 'work', { isPrompt: true }, NOW);

    assert.equal(state.exchange(PAIR), undefined);
  });

  test('remains stopped when an agent sets its own status to work', () => {
    const state = stopped();
    noteWakeMethod(state, ME, { since: NOW - 60_000 });

    noteStatus(state, ME, 'work', {}, NOW);

    assert.equal(state.exchange(PAIR)?.stoppedAt, NOW);
  });

  test('remains stopped when the prompt was the notice, or when the agent is ready', () => {
    const state = stopped();
    noteWakeMethod(state, ME, { since: NOW - 5_000 });

    noteStatus(state, ME, 'work', { isPrompt: true }, NOW);
    noteStatus(state, ME, 'ready', {}, NOW + 60_000);

    assert.equal(state.exchange(PAIR)?.stoppedAt, NOW);
  });

  test('of other agents is unchanged', () => {
    const state = stopped();

    noteStatus(state, { name: 'a3' }, 'work', { isPrompt: true }, NOW);

    assert.equal(state.exchange(PAIR)?.stoppedAt, NOW);
  });
});

function stopped() {
  const state = open();
  state.keepExchange(PAIR, { count: 31, lastFrom: 'a1', lastAt: NOW, stoppedAt: NOW });
  return state;
}

function open() {
  const state = openDeliveryState(join(temporaryFolder(after), '.agentmail'));
  after(() => state.close());
  return state;
}
