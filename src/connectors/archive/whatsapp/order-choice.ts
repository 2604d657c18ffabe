import type { DateOrder } from '../../../domain/archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { whereIn } from '../importer.ts';
import type { Findings } from './survey.ts';

/** How the dates are to be read: as the user says, as only fits, or as is usual where they are written like this. */
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
 * Years of two digits come last, but in East Asia and where the time is in parentheses. Only slashes leave it open whether the
 * month is first: nobody writes it there with dots or dashes, or beside words that are not Latin.
 */
function usualOrder({ orders, shape, script }: Findings): DateOrder | undefined {
  if (orders.includes('ymd') && (script === 'east_asian' || shape.includes('('))) return 'ymd';
  const likely = orders.filter((order) => order !== 'ymd');
  if (likely.length === 1) return likely[0];
  return shape.includes('0/0') && script !== 'other' ? undefined : 'dmy';
}
