import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hello } from '../lib/daemon-hello.ts';
import {
  answered,
  attached,
  controlled,
  dequeued,
  disconnected,
  helloIn,
  initialState,
  inputEnded,
  keepsDying,
  pieceArrived,
  queued,
  type ShimState,
} from './state.ts';

const NOTHING = { again: [], beginsAnew: false };
const line = (text: string) => Buffer.from(`${text}\n`);
const start = initialState(undefined);

function after(state: ShimState, ...words: string[]): ShimState {
  return words.reduce((before, word) => controlled(before, word, 1_000), state);
}

describe('a control message of a daemon', () => {
  test('names the session and the resume cursor, which are passed to the next daemon', () => {
    const introduction = { v: 1, door: 'mcp' } as Hello;

    const state = after(start, 'session s-1', 'heard 7');

    assert.equal(helloIn(start, introduction), introduction);
    assert.deepEqual(helloIn(state, introduction), { ...introduction, session: 's-1', heard: 7 });
  });

  test('announces its exit: another daemon may start soon, or none is to be started', () => {
    assert.deepEqual(after(start, 'wait 5000').goodbye, { notBefore: 6_000, rests: false });
    assert.deepEqual(after(start, 'rest').goodbye, { notBefore: 0, rests: true });
    assert.equal(attached(after(start, 'rest')).goodbye, undefined);
  });

  test('requests the exit of the shim', () => {
    assert.equal(after(start, 'exit 0').exitCode, 0);
  });

  test('is ignored if this version does not know it', () => {
    assert.deepEqual(after(start, 'new-word 1', ''), start);
  });
});

describe('lines of the client', () => {
  test('are queued in order until a daemon is attached', () => {
    const state = queued(queued(start, [line('1')]), [line('2'), line('3')]);

    assert.equal(Buffer.concat(state.queue).toString(), '1\n2\n3\n');
    assert.deepEqual(dequeued(state).queue, []);
  });

  test('end with the input, the last one also without a newline', () => {
    const state = inputEnded(start, Buffer.from('last'));

    assert.equal(Buffer.concat(state.queue).toString(), 'last\n');
    assert.equal(state.hasInputEnded, true);
    assert.deepEqual(inputEnded(start, Buffer.alloc(0)).queue, []);
  });

  test('that are too long are passed on in pieces', () => {
    const first = pieceArrived(start, { isAttached: true, isEnd: false });
    const last = pieceArrived(first.state, { isAttached: true, isEnd: true });

    assert.deepEqual([first.action, last.action, last.state.longLine], ['send', 'send', 'none']);
  });

  test('that are too long are refused once if their daemon has exited, and the next line is passed on', () => {
    const { state } = pieceArrived(start, { isAttached: true, isEnd: false });
    const gone = disconnected(state, NOTHING).state;

    const rest = pieceArrived(gone, { isAttached: true, isEnd: false });
    const end = pieceArrived(rest.state, { isAttached: true, isEnd: true });
    const next = pieceArrived(end.state, { isAttached: true, isEnd: true });

    assert.deepEqual([rest.action, end.action, next.action], ['drop', 'drop', 'send']);
  });

  test('that are too long are refused without a daemon', () => {
    const first = pieceArrived(start, { isAttached: false, isEnd: false });
    const last = pieceArrived(first.state, { isAttached: false, isEnd: true });

    assert.deepEqual([first.action, last.action], ['refuse', 'drop']);
  });
});

describe('after the daemon has exited', () => {
  test('another one is searched for', () => {
    assert.equal(disconnected(start, NOTHING).next, 'reattach');
  });

  test('the shim is idle if the daemon was stopped by command, unless the client awaits an answer', () => {
    const told = after(start, 'rest');

    assert.equal(disconnected(told, NOTHING).next, 'rest');
    assert.equal(disconnected(told, { again: [line('1')], beginsAnew: false }).next, 'reattach');
    assert.equal(disconnected(queued(told, [line('1')]), NOTHING).next, 'reattach');
  });

  test('the shim ends if its input has ended and no request is pending', () => {
    const ended = inputEnded(start, Buffer.alloc(0));

    assert.equal(disconnected(ended, NOTHING).next, 'finish');
    assert.equal(disconnected(ended, { again: [line('1')], beginsAnew: false }).next, 'reattach');
  });

  test('repeated requests are sent before later ones', () => {
    const { state } = disconnected(queued(start, [line('2')]), { again: [line('1')], beginsAnew: false });

    assert.equal(Buffer.concat(state.queue).toString(), '1\n2\n');
  });

  test('a session whose initialize is sent again is not resumed', () => {
    const state = after(start, 'session s-1', 'heard 7');

    const kept = disconnected(state, NOTHING).state;
    const anew = disconnected(state, { again: [line('initialize')], beginsAnew: true }).state;

    assert.deepEqual([kept.session, kept.lastNotified], ['s-1', 7]);
    assert.deepEqual([anew.session, anew.lastNotified], [undefined, undefined]);
  });

  test('repeated exits without a goodbye and without an answer count as a crash loop', () => {
    const dies = (state: ShimState) => disconnected(state, NOTHING).state;
    const dead = [1, 2, 3, 4, 5, 6].reduce(dies, start);

    assert.equal(keepsDying(dead), true);
    assert.equal(keepsDying(answered(dead)), false);
    assert.equal(disconnected(after(start, 'wait 0'), NOTHING).state.deaths, 0);
  });
});
