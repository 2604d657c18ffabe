import { DATE_ORDERS, type DateOrder } from '../../../domain/archive.ts';
import type { CalendarDay } from './calendar.ts';
import type { Header } from './header.ts';

type DateNumbers = Header['date'];

/** Counts evidence against each order of dates in an export. */
export interface OrderVote {
  add(date: DateNumbers): void;
  /** The orders with the least evidence against them; `differ` if the choice matters. */
  best(): { orders: readonly DateOrder[]; differ: boolean };
}

interface Candidate {
  order: DateOrder;
  against: number;
  last: number;
}

/** An impossible date outweighs a date that goes back: chats are in order except for a few messages. */
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

/** The date that these numbers give in this order, in no calendar yet. */
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

/** A four-digit number is the year; otherwise the year has two digits. */
function mayBe([first, , third]: DateNumbers, order: DateOrder): boolean {
  const [year, other] = order === 'ymd' ? [first, third] : [third, first];
  return year.length >= 2 && other.length <= 2;
}
