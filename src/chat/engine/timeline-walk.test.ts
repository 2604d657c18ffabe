import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { messageOf } from '../../../tests/support/chat/fake-network.ts';
import type { CursorLost, HistoryPage, HistoryRequest } from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import type { TimelineState } from '../ports.ts';
import {
  type CatchUp,
  catchUpRequest,
  catchUpWith,
  goBackRequest,
  goBackWith,
  startCatchUp,
  startGap,
  startGoBack,
  type WalkTerms,
} from './timeline-walk.ts';

const NOW = 1_000_000_000;
const TIMELINE = { id: 'channel', chat: '#x' };
const ALL: WalkTerms = { budget: { days: 36_500, messages: 1_000_000 }, now: NOW };
const LOST: CursorLost = { kind: 'cursor-lost', reason: 'forgotten' };

const lengths = fc.nat(450);

describe('reading a timeline', () => {
  test('stores every message of a new timeline once, and then it is complete', () => {
    fc.assert(
      fc.property(lengths, (length) => {
        const network = networkOf(length);

        const caught = catchUp(network, startCatchUp(TIMELINE, undefined));
        const back = goBack(network, caught.state, ALL.budget.messages - caught.stored.length);

        assert.deepEqual([...back.stored, ...caught.stored], network.numbers);
        assert.equal(back.state.complete, true);
      }),
    );
  });

  test('stores as many older messages as the budget allows, and not one more', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 500 }), (length, messages) => {
        const network = networkOf(length);
        const terms = { ...ALL, budget: { ...ALL.budget, messages } };

        const caught = catchUp(network, startCatchUp(TIMELINE, undefined), terms);
        const back = goBack(network, caught.state, messages - caught.stored.length, terms);

        assert.deepEqual([...back.stored, ...caught.stored], network.numbers.slice(-messages));
      }),
    );
  });

  test('stores exactly the messages after the last cursor, in order', () => {
    fc.assert(
      fc.property(lengths, fc.nat(449), (length, last) => {
        fc.pre(last < length);
        const known: TimelineState = { ...TIMELINE, newest: String(last), oldest: '0', complete: true };

        const { stored, state } = catchUp(networkOf(length), startCatchUp(TIMELINE, known));

        assert.deepEqual(stored, networkOf(length).numbers.slice(last + 1));
        assert.equal(state.newest, String(length - 1));
      }),
    );
  });

  test('closes the gap after a lost cursor, and ends at the newest message', () => {
    fc.assert(
      fc.property(lengths, fc.nat(449), (length, last) => {
        fc.pre(last < length);
        const network = networkOf(length);
        const known: TimelineState = { ...TIMELINE, newest: String(last), oldest: '0', complete: true };
        const lost = catchUpWith(startCatchUp(TIMELINE, known) as Unfinished, LOST, ALL);
        assert.deepEqual(lost, { kind: 'lost', known });

        const { stored, state } = catchUp(network, startGap(known, timeOf(last) + 1));

        const missing = network.numbers.slice(last + 1).filter((number) => !stored.includes(number));
        assert.deepEqual(missing, []);
        assert.equal(state.newest, String(length - 1));
      }),
    );
  });

  test('ends if a network returns the same page repeatedly', () => {
    const stuck: HistoryPage = { kind: 'page', events: [messageOf('x', NOW)], oldest: '5', newest: '5', end: false };
    const known: TimelineState = { ...TIMELINE, newest: '5', oldest: '5', complete: false };

    const forward = catchUpWith(startCatchUp(TIMELINE, known) as Unfinished, stuck, ALL);
    const { next } = goBackWith(startGoBack(known, 1_000), stuck, ALL);

    assert.ok(forward.kind === 'stored' && forward.next.phase === 'done');
    assert.deepEqual([next(0).isOver, next(0).state.complete], [true, true]);
  });

  test('stores no message that is too old, and stops there', () => {
    const terms = { ...ALL, budget: { days: 1, messages: 1_000 } };
    const page: HistoryPage = { kind: 'page', events: [messageOf('x', 0)], oldest: '0', newest: '0', end: true };
    const begun = catchUpWith(startCatchUp(TIMELINE, undefined) as Unfinished, page, terms);
    const walk = startGoBack({ ...TIMELINE, oldest: '1', complete: false }, 10);
    const back = goBackWith(walk, page, terms);

    assert.ok(begun.kind === 'stored' && begun.next.phase === 'done');
    assert.deepEqual([begun.store[0]?.events, begun.next.state.oldest], [[], undefined]);
    assert.equal(back.store, undefined);
    assert.deepEqual(back.next(0), { ...walk, isOver: true });
  });
});

type Unfinished = Exclude<CatchUp, { phase: 'done' }>;
type Network = ReturnType<typeof networkOf>;

/** A network whose cursors are the numbers of its messages. */
function networkOf(length: number) {
  const numbers = Array.from({ length }, (_, number) => number);
  return {
    numbers,
    page({ direction, from, limit }: Pick<HistoryRequest, 'direction' | 'from' | 'limit'>): HistoryPage {
      const place = from === undefined ? length : Number(from);
      const [start, end] =
        direction === 'older' ? [Math.max(0, place - limit), place] : [place + 1, Math.min(length, place + 1 + limit)];
      const events = numbers.slice(start, end).map((number) => messageOf(String(number), timeOf(number)));
      if (events.length === 0) return { kind: 'page', events, end: true };
      const isEnd = direction === 'older' ? start === 0 : end === length;
      return { kind: 'page', events, oldest: String(start), newest: String(end - 1), end: isEnd };
    },
  };
}

function timeOf(number: number): number {
  return NOW - 1_000_000 + number * 1_000;
}

function catchUp({ page }: Network, first: CatchUp, terms: WalkTerms = ALL) {
  const stored: number[] = [];
  let walk = first;
  while (walk.phase !== 'done') {
    const result = catchUpWith(walk, page(catchUpRequest(walk, terms)), terms);
    assert.ok(result.kind === 'stored');
    for (const { events } of result.store) stored.push(...numbersOf(events));
    walk = result.next;
  }
  return { stored, state: walk.state };
}

function goBack({ page }: Network, state: TimelineState, left: number, terms: WalkTerms = ALL) {
  const stored: number[] = [];
  let walk = startGoBack(state, left);
  while (!walk.isOver) {
    const { store, next } = goBackWith(walk, page(goBackRequest(walk)), terms);
    const added = numbersOf(store?.events ?? []);
    stored.unshift(...added);
    walk = next(added.length);
  }
  return { stored, state: walk.state };
}

function numbersOf(events: readonly InboundEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'message' ? [Number(event.message.id)] : []));
}
