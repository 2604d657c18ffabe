import type { Hello } from '../lib/daemon-hello.ts';

/** What a shim knows between two events. Sockets and timers are in run.ts. */
export interface ShimState {
  /** Lines of the client that were not yet passed to a daemon. */
  readonly queue: readonly Buffer[];
  /** The session that a daemon holds for this client, named again when attaching to the next one. */
  readonly session?: string;
  /** The last event that the client of this session was notified of. */
  readonly lastNotified?: number;
  /** The daemon has announced its end. */
  readonly goodbye?: Goodbye;
  /** The daemon has requested the exit of this process. */
  readonly exitCode?: number;
  readonly hasInputEnded: boolean;
  /** Daemons that died without announcing it, since the last line of one. */
  readonly deaths: number;
  readonly longLine: LongLine;
}

/** How a daemon announced its exit. */
interface Goodbye {
  /** No other daemon is started before this timestamp. */
  notBefore: number;
  /** No other daemon is started before the client sends something. */
  rests: boolean;
}

/** A line of the client that is too long to be queued: `cut` if the daemon that received its beginning has exited. */
type LongLine = 'none' | 'passing' | 'cut';

/** Something that the client sends kills them: starting yet another does not help. */
const MOST_DEATHS = 5;

export function initialState(session: string | undefined): ShimState {
  return {
    queue: [],
    hasInputEnded: false,
    deaths: 0,
    longLine: 'none',
    ...(session === undefined ? {} : { session }),
  };
}

export function helloIn({ session, lastNotified }: ShimState, introduction: Hello): Hello {
  if (session === undefined) return introduction;
  return { ...introduction, session, ...(lastNotified === undefined ? {} : { heard: lastNotified }) };
}

export function keepsDying({ deaths }: ShimState): boolean {
  return deaths > MOST_DEATHS;
}

/** The client has sent these lines. */
export function queued(state: ShimState, lines: readonly Buffer[]): ShimState {
  return lines.length === 0 ? state : { ...state, queue: [...state.queue, ...lines] };
}

/** The queue was passed to a daemon. */
export function dequeued(state: ShimState): ShimState {
  return { ...state, queue: [] };
}

/** The input has ended; the text after the last newline counts as a line. */
export function inputEnded(state: ShimState, rest: Buffer): ShimState {
  const lines = rest.length === 0 ? [] : [Buffer.concat([rest, Buffer.from('\n')])];
  return { ...queued(state, lines), hasInputEnded: true };
}

/** A piece of a line that is too long to be held, and whether the line ends with it. */
export function pieceArrived(
  state: ShimState,
  { isAttached, isEnd }: { isAttached: boolean; isEnd: boolean },
): { state: ShimState; action: 'send' | 'refuse' | 'drop' } {
  const { longLine } = state;
  if (isAttached && longLine !== 'cut') {
    return { state: { ...state, longLine: isEnd ? 'none' : 'passing' }, action: 'send' };
  }
  // A daemon that has not received its beginning would take the remainder for another line.
  return { state: { ...state, longLine: isEnd ? 'none' : 'cut' }, action: longLine === 'cut' ? 'drop' : 'refuse' };
}

/** A daemon is attached. */
export function attached({ goodbye: _, ...state }: ShimState): ShimState {
  return state;
}

/** The daemon has sent something to the client. */
export function answered(state: ShimState): ShimState {
  return state.deaths === 0 ? state : { ...state, deaths: 0 };
}

/** The daemon has sent a control line to the shim: a keyword and its argument. */
export function controlled(state: ShimState, line: string, now: number): ShimState {
  const [word = '', ...rest] = line.split(' ');
  const argument = rest.join(' ');
  switch (word) {
    case 'session':
      return { ...state, session: argument };
    case 'heard':
      return { ...state, lastNotified: Number(argument) };
    case 'exit':
      return { ...state, exitCode: Number(argument) };
    case 'wait':
      return { ...state, goodbye: { notBefore: now + Number(argument), rests: false } };
    case 'rest':
      return { ...state, goodbye: { notBefore: 0, rests: true } };
    default:
      return state;
  }
}

/** The daemon has exited. `again` are lines it cannot have begun; `beginsAnew`: the initialize is among them. */
export function disconnected(
  state: ShimState,
  { again, beginsAnew }: { again: readonly Buffer[]; beginsAnew: boolean },
): { state: ShimState; next: 'reattach' | 'rest' | 'finish' } {
  const { session: _, lastNotified: __, ...withoutSession } = state;
  const next: ShimState = {
    ...(beginsAnew ? withoutSession : state),
    queue: [...again, ...state.queue],
    deaths: state.goodbye ? state.deaths : state.deaths + 1,
    longLine: state.longLine === 'passing' ? 'cut' : state.longLine,
  };
  if (next.queue.length > 0) return { state: next, next: 'reattach' };
  if (next.hasInputEnded) return { state: next, next: 'finish' };
  return { state: next, next: next.goodbye?.rests ? 'rest' : 'reattach' };
}
