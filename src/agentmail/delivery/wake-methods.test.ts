import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openSide } from './delivery-state.ts';
import { forgetListener, noteStatus, noteWay, wayOf } from './wake-methods.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ME = { name: 'a1', window: '1:1:@1' };
const PAIR = JSON.stringify(['a1', 'a2']);

describe('how an agent can be woken', () => {
  test('is added to, and belongs to the window under whatever name', () => {
    const side = open();

    noteWay(side, ME, { thread: 't1' });
    noteWay(side, { ...ME, name: 'renamed' }, { kind: 'listener', pid: 7 });

    assert.deepEqual(wayOf(side, ME), { kind: 'listener', pid: 7, thread: 't1', since: 0 });
  });

  test('a listener that ends is forgotten, unless a newer one took its place', () => {
    const side = open();
    noteWay(side, ME, { kind: 'listener', pid: 8 });

    forgetListener(side, ME, 7);
    assert.equal(wayOf(side, ME)?.pid, 8);
    forgetListener(side, ME, 8);

    assert.deepEqual(wayOf(side, ME), { kind: 'typed', since: 0 });
  });

  test('what is in front is noted when it is ready, and all is forgotten when it leaves', () => {
    const side = open();

    noteStatus(side, ME, 'ready', { foreground: 99 }, NOW);
    assert.equal(wayOf(side, ME)?.foreground, 99);
    noteStatus(side, ME, 'offline', {}, NOW);

    assert.equal(wayOf(side, ME), undefined);
  });
});

describe('an exchange that was stopped', () => {
  test('goes on when an agent has a prompt that is no notice: a person has typed', () => {
    const side = stopped();
    noteWay(side, ME, { since: NOW - 60_000 });

    noteStatus(side, ME, 'work', { isPrompt: true }, NOW);

    assert.equal(side.exchange(PAIR), undefined);
  });

  test('stays stopped when an agent says by itself that it is at work', () => {
    const side = stopped();
    noteWay(side, ME, { since: NOW - 60_000 });

    noteStatus(side, ME, 'work', {}, NOW);

    assert.equal(side.exchange(PAIR)?.stoppedAt, NOW);
  });

  test('stays stopped when the prompt was the notice of its mail, or when it is ready', () => {
    const side = stopped();
    noteWay(side, ME, { since: NOW - 5_000 });

    noteStatus(side, ME, 'work', { isPrompt: true }, NOW);
    noteStatus(side, ME, 'ready', {}, NOW + 60_000);

    assert.equal(side.exchange(PAIR)?.stoppedAt, NOW);
  });

  test('of others is not touched', () => {
    const side = stopped();

    noteStatus(side, { name: 'a3' }, 'work', { isPrompt: true }, NOW);

    assert.equal(side.exchange(PAIR)?.stoppedAt, NOW);
  });
});

function stopped() {
  const side = open();
  side.keepExchange(PAIR, { count: 31, lastFrom: 'a1', lastAt: NOW, stoppedAt: NOW });
  return side;
}

function open() {
  const side = openSide(join(temporaryFolder(after), '.agentmail'));
  after(() => side.close());
  return side;
}
