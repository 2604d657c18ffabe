import type { DateOrder } from '../../../domain/archive.ts';
import { type ColonNames, createColonNames, type FoundNames } from './colon-names.ts';
import { createOrderVote, type OrderVote } from './date-order.ts';
import { type DayHalf, dayHalfOf } from './day-halves.ts';
import type { Header } from './header.ts';
import { speakersOf } from './speaker.ts';

/** Facts about the format of an export, collected in the first pass for the second. */
export interface Findings {
  /** Headers of any other shape are part of messages. */
  shape: string;
  orders: readonly DateOrder[];
  /** Whether the orders read the dates differently. */
  ordersDiffer: boolean;
  /** Script of the words beside the time. */
  script: 'latin' | 'east_asian' | 'other';
  halfOf(words: readonly string[]): DayHalf | undefined;
  /** Apparent senders. */
  names: FoundNames;
}

export interface Survey {
  add(header: Header): void;
  /** Undefined if there was no header. */
  findings(): Findings | undefined;
}

interface Tally {
  count: number;
  order: OrderVote;
  latestHour: number;
  words: Map<string, number>;
  /** How often one word was followed by another on the same day. */
  followed: Map<string, number>;
  last?: { day: string; word: string };
  names: ColonNames;
}

/** An export has one shape plus pasted text; the limit protects against hostile files. */
const MAX_SHAPES = 100;
const MAX_WORDS = 50;

/** `known` are names of which it is known that somebody has them. */
export function createSurvey(known: readonly string[] = []): Survey {
  const tallies = new Map<string, Tally>();
  return {
    add(header) {
      const tally = tallies.get(header.shape) ?? newTally(tallies, header.shape, known);
      if (tally) count(tally, header);
    },
    findings() {
      const [elected] = [...tallies].sort(([, a], [, b]) => b.count - a.count);
      return elected && findingsOf(...elected);
    },
  };
}

function newTally(tallies: Map<string, Tally>, shape: string, known: readonly string[]): Tally | undefined {
  if (tallies.size >= MAX_SHAPES) return undefined;
  const tally = {
    count: 0,
    order: createOrderVote(),
    latestHour: 0,
    words: new Map(),
    followed: new Map(),
    names: createColonNames(known),
  };
  tallies.set(shape, tally);
  return tally;
}

function count(tally: Tally, { date, hour, words, rest }: Header): void {
  tally.count += 1;
  tally.order.add(date);
  tally.latestHour = Math.max(tally.latestHour, hour);
  const [word, day] = [words.join(' '), date.join('.')];
  increase(tally.words, word, MAX_WORDS);
  if (tally.last?.day === day && tally.last.word !== word) {
    increase(tally.followed, `${tally.last.word}\n${word}`, MAX_WORDS);
  }
  tally.last = { day, word };
  tally.names.add(speakersOf(rest));
}

function findingsOf(shape: string, tally: Tally): Findings {
  const { orders, differ } = tally.order.best();
  return {
    shape,
    orders,
    ordersDiffer: differ,
    script: scriptOf(tally),
    halfOf: halvesOf(tally),
    names: tally.names.found(),
  };
}

/** An hour above twelve means a 24-hour clock; then words beside the time have no meaning. */
function halvesOf({ latestHour, words, followed }: Tally): Findings['halfOf'] {
  if (latestHour > 12) return () => undefined;
  const known = (spoken: readonly string[]) => spoken.map(dayHalfOf).find((half) => half !== undefined);
  const unknown = [...words.keys()].filter((word) => known(word.split(' ')) === undefined);
  if (unknown.length !== 2) return known;
  // Two alternating words are a.m. and p.m. of an unlisted language: a.m. comes first.
  const [one = '', other = ''] = unknown;
  const isEarlier = (followed.get(`${one}\n${other}`) ?? 0) >= (followed.get(`${other}\n${one}`) ?? 0);
  const morning = isEarlier ? one : other;
  return (spoken) => known(spoken) ?? (spoken.join(' ') === morning ? 'am' : 'pm');
}

function scriptOf({ words }: Tally): Findings['script'] {
  const all = [...words.keys()].join('');
  if (/[\p{Script=Han}\p{Script=Hangul}]/u.test(all)) return 'east_asian';
  return /[\p{L}--\p{Script=Latin}]/v.test(all) ? 'other' : 'latin';
}

function increase(counts: Map<string, number>, key: string, most: number): void {
  const before = counts.get(key);
  if (before !== undefined || counts.size < most) counts.set(key, (before ?? 0) + 1);
}
