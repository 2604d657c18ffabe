import { DATE_ORDERS, type DateOrder } from '../../../domain/archive.ts';
import type { CalendarDay } from './calendar.ts';
import type { Header } from './header.ts';

type DateNumbers = Header['date'];

/** Counts what speaks against each way to read the dates of an export. */
export interface OrderVote {
  add(date: DateNumbers): void;
  /** The orders that nothing sets apart; `differ` where it matters which of them it is. */
  best(): { orders: readonly DateOrder[]; differ: boolean };
}

interface Candidate {
  order: DateOrder;
  against: number;
  last: number;
}

/** A date that cannot be outweighs any that goes back: chats are written in the order of time, but for a few stragglers. */
const IMPOSSIBLE = 1_000;

export function createOrderVote(): OrderVote {
  const candidates: Candidate[] = DATE_ORDERS.map((order) => ({ order, against: 0, last: 0 }));
  let differ = false;
  return {
    add(date) {
      for (const candidate of candidates) judge(candidate, date);
      differ ||= Number(date[0]) !== Number(date[1]);
    },
    best() {
      const least = Math.min(...candidates.map(({ against }) => against));
      const orders = candidates.filter(({ against }) => against === least).map(({ order }) => order);
      return { orders, differ: orders.length > 1 && (differ || orders.includes('ymd')) };
    },
  };
}

/** The day that these numbers are in this order; not of a calendar yet. */
export function dayOf([a, b, c]: DateNumbers, order: DateOrder): CalendarDay {
  const [first, second, third] = [Number(a), Number(b), Number(c)];
  if (order === 'dmy') return { day: first, month: second, year: third };
  if (order === 'mdy') return { month: first, day: second, year: third };
  return { year: first, month: second, day: third };
}

function judge(candidate: Candidate, date: DateNumbers): void {
  const { year, month, day } = dayOf(date, candidate.order);
  const moment = year * 372 + month * 31 + day;
  if (!mayBe(date, candidate.order) || month < 1 || month > 12 || day < 1 || day > 31) candidate.against += IMPOSSIBLE;
  else {
    if (moment < candidate.last) candidate.against += 1;
    candidate.last = moment;
  }
}

/** A number of four digits is the year, and where there is none it is short. */
function mayBe([first, , third]: DateNumbers, order: DateOrder): boolean {
  const [year, other] = order === 'ymd' ? [first, third] : [third, first];
  return year.length >= 2 && other.length <= 2;
}
