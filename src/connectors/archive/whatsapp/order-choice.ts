import type { DateOrder } from '../../../domain/archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { whereIn } from '../importer.ts';
import type { Findings } from './survey.ts';

/** The order of dates: given by the user, the only possible one, or the usual one for this format. */
export function chooseOrder(findings: Findings, said: DateOrder | undefined, file: string): DateOrder {
  const { orders, ordersDiffer } = findings;
  const order = said ?? (ordersDiffer ? usualOrder(findings) : orders[0]);
  if (order) return order;
  throw new AppError('INVALID_PARAMETER', `The dates in ${whereIn(file)} can be read in more than one way.`, {
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
