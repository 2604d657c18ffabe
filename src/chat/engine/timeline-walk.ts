import type { CursorLost, HistoryPage, HistoryRequest, Timeline } from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import type { TimelineChange, TimelineState } from '../ports.ts';

/** How one timeline is read: which page is requested next, and which part of it is stored. Pure functions. */

/** How much older history is wanted, and since when messages were missed. */
export interface WalkTerms {
  budget: { days: number; messages: number };
  /** Messages from this time on were missed; undefined before the first connection. */
  missedSince?: number;
  now: number;
}

type Request = Pick<HistoryRequest, 'direction' | 'from' | 'limit'>;

/** Reading messages missed since the last connection. */
export type CatchUp =
  /** Nothing is known yet: the newest page. */
  | { phase: 'begin'; state: TimelineState }
  /** From the last known cursor to the newest message. */
  | { phase: 'forward'; state: TimelineState; known: TimelineState }
  /** The network lost the cursor: backwards from its newest message to the last stored one. */
  | { phase: 'gap'; known: TimelineState; knownUntil: number; newest?: string; from?: string }
  | { phase: 'done'; state: TimelineState };

/** Reading messages older than all stored ones. `left` counts those that are still wanted. */
export interface GoBack {
  state: TimelineState;
  left: number;
  /** The last page had nothing new, so that larger pages are requested. */
  isSparse: boolean;
  isOver: boolean;
}

interface Store {
  events: readonly InboundEvent[];
  origin: 'newer' | 'older';
  timeline?: TimelineChange;
}

const PAGE = 100;
const DAY = 24 * 60 * 60 * 1000;

export function startCatchUp({ id, chat }: Timeline, known: TimelineState | undefined): CatchUp {
  if (known?.newest !== undefined) return { phase: 'forward', state: known, known };
  const state = { ...(known ?? { id, complete: false }), ...(chat === undefined ? {} : { chat }) };
  return { phase: 'begin', state };
}

export function startGap(known: TimelineState, knownUntil: number): CatchUp {
  return { phase: 'gap', known, knownUntil };
}

export function catchUpRequest(walk: Exclude<CatchUp, { phase: 'done' }>, { budget, missedSince }: WalkTerms): Request {
  switch (walk.phase) {
    case 'begin': {
      const few = Math.max(1, Math.min(PAGE, budget.messages));
      return { direction: 'older', limit: missedSince === undefined ? few : PAGE };
    }
    case 'forward':
      return { direction: 'newer', ...optional('from', walk.state.newest), limit: PAGE };
    case 'gap':
      return { direction: 'older', ...optional('from', walk.from), limit: PAGE };
  }
}

/** The part of a page to store, and where reading continues; `lost` if the gap after the stored messages has to be closed. */
export function catchUpWith(
  walk: Exclude<CatchUp, { phase: 'done' }>,
  answer: HistoryPage | CursorLost,
  terms: WalkTerms,
): { kind: 'stored'; store: readonly Store[]; next: CatchUp } | { kind: 'lost'; known: TimelineState } {
  if (answer.kind === 'cursor-lost') {
    // Without a cursor, or with one that the network just returned, a lost cursor is not expected.
    if (walk.phase !== 'forward') throw new Error(answer.reason, { cause: answer.cause });
    return { kind: 'lost', known: walk.known };
  }
  switch (walk.phase) {
    case 'begin':
      return { kind: 'stored', ...begun(walk.state, answer, terms) };
    case 'forward':
      return { kind: 'stored', ...wentForward(walk, answer) };
    case 'gap':
      return { kind: 'stored', ...closedPart(walk, answer, terms) };
  }
}

type Stored = { store: readonly Store[]; next: CatchUp };

/** In a new timeline: messages within the budget, and all that were missed. */
function begun(state: TimelineState, page: HistoryPage, terms: WalkTerms): Stored {
  const isWanted = page.events.length === 0 || (terms.budget.messages > 0 && !isTooOld(page, terms));
  const next: TimelineState = {
    ...state,
    ...optional('newest', page.newest),
    // With an empty budget, a later larger one begins at the newest message.
    ...(isWanted ? optional('oldest', page.oldest) : {}),
    complete: isWanted && page.end,
  };
  const events = isWanted ? page.events : page.events.filter((event) => wasMissed(event, terms));
  return { store: [{ events, origin: 'older', timeline: next }], next: { phase: 'done', state: next } };
}

function wentForward({ state, known }: CatchUp & { phase: 'forward' }, page: HistoryPage): Stored {
  const next = { ...state, ...optional('newest', page.newest) };
  const timeline = { id: state.id, ...optional('newest', page.newest) };
  // A network that returns the same cursor again would cause an endless loop.
  const isOver = page.end || next.newest === state.newest;
  return {
    store: [{ events: page.events, origin: 'newer', timeline }],
    next: isOver ? { phase: 'done', state: next } : { phase: 'forward', state: next, known },
  };
}

function closedPart(walk: CatchUp & { phase: 'gap' }, page: HistoryPage, terms: WalkTerms): Stored {
  const { known, knownUntil, from } = walk;
  const newest = walk.newest ?? page.newest;
  const part: Store = { events: page.events, origin: 'older' };
  const isStuck = page.oldest === undefined || page.oldest === from;
  if (!page.end && !isStuck && !reaches(page, knownUntil) && !isTooOld(page, terms)) {
    const next = { phase: 'gap', known, knownUntil, ...optional('newest', newest), ...optional('from', page.oldest) };
    return { store: [part], next: next as CatchUp };
  }
  const end: Store = { events: [], origin: 'newer', timeline: { id: known.id, ...optional('newest', newest) } };
  return { store: [part, end], next: { phase: 'done', state: { ...known, ...optional('newest', newest) } } };
}

export function startGoBack(state: TimelineState, left: number): GoBack {
  return { state, left, isSparse: false, isOver: state.complete || left <= 0 };
}

export function goBackRequest({ state, left, isSparse }: GoBack): Request {
  return { direction: 'older', ...optional('from', state.oldest), limit: isSparse ? PAGE : Math.min(PAGE, left) };
}

/** The part of an older page to store, and where reading continues, given the number of its new messages. */
export function goBackWith(
  walk: GoBack,
  page: HistoryPage,
  terms: WalkTerms,
): { store?: Store; next(added: number): GoBack } {
  // Not stored, and the cursor does not move: otherwise each connection would read one page further back than wanted.
  if (isTooOld(page, terms)) return { next: () => ({ ...walk, isOver: true }) };
  const { limit } = goBackRequest(walk);
  const { id, oldest: before } = walk.state;
  const isStuck = page.oldest === undefined || page.oldest === before;
  const oldest = page.oldest ?? before;
  // A short page may contain only stored messages of one timestamp: only a full one proves that there are no others.
  const complete = page.end || (isStuck && limit === PAGE);
  const change = { id, ...optional('oldest', oldest), complete };
  return {
    store: { events: page.events, origin: 'older', timeline: change },
    next(added) {
      const left = walk.left - added;
      const state = { ...walk.state, ...change };
      return { state, left, isSparse: added === 0, isOver: complete || isStuck || left <= 0 };
    },
  };
}

/** All messages of the page are older than wanted. A single one with a wrong timestamp proves nothing. */
function isTooOld({ events }: HistoryPage, { budget, now }: WalkTerms): boolean {
  const limit = now - budget.days * DAY;
  const times = events.flatMap((event) => (event.kind === 'message' ? [event.message.at] : []));
  return times.length > 0 && times.every((at) => at < limit);
}

function wasMissed(event: InboundEvent, { missedSince }: WalkTerms): boolean {
  if (missedSince === undefined || event.kind === 'chat') return false;
  return (event.kind === 'message' ? event.message.at : event.at) >= missedSince;
}

/** Whether a message of the page is older than this time. */
function reaches({ events }: HistoryPage, time: number): boolean {
  return events.some((event) => event.kind === 'message' && event.message.at < time);
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}
