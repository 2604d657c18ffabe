import type { DateOrder } from '../../../domain/archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { whereIn } from '../importer.ts';
import type { Findings } from './survey.ts';

/** The order of the dates of each chat of an archive. */
export interface Orders {
  /** Given by the user, the only possible one, or the usual one for this format; undefined if there is none. */
  of(findings: Findings): DateOrder | undefined;
  /** The one that other chats written in the same way have. */
  asOthers(findings: Findings): DateOrder | undefined;
}

export function createOrders(said: DateOrder | undefined): Orders {
  /** What the dates of chats showed, by the shape of their headers. */
  const shown = new Map<string, Set<DateOrder>>();
  return {
    of(findings) {
      const { orders, ordersDiffer, shape } = findings;
      if (said !== undefined) return said;
      if (ordersDiffer) return usualOrder(findings);
      const [order] = orders;
      if (order !== undefined && orders.length === 1) shown.set(shape, (shown.get(shape) ?? new Set()).add(order));
      return order;
    },
    asOthers({ orders, shape }) {
      const [order, another] = [...(shown.get(shape) ?? [])];
      return another === undefined ? orders.find((each) => each === order) : undefined;
    },
  };
}

export function inDoubt(file: string): AppError {
  return new AppError('INVALID_PARAMETER', `The dates in ${whereIn(file)} can be read in more than one way.`, {
    field: 'date_order',
    hint: 'Say which number comes first: --date-order dmy (3/4/24 is in April), mdy (it is in March) or ymd.',
  });
}

/**
 * Two-digit years come last, except in East Asia and if the time is in parentheses. Only slashes leave open whether
 * the month comes first: no locale writes it first with dots or dashes, or with non-Latin words.
 */
function usualOrder({ orders, shape, script }: Findings): DateOrder | undefined {
  if (orders.includes('ymd') && (script === 'east_asian' || shape.includes('('))) return 'ymd';
  const likely = orders.filter((order) => order !== 'ymd');
  if (likely.length === 1) return likely[0];
  return shape.includes('0/0') && script !== 'other' ? undefined : 'dmy';
}
