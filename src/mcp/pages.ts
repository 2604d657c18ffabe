import { AppError } from '../domain/errors.ts';

export interface Page<T> {
  items: readonly T[];
  nextCursor?: string;
}

/**
 * One page of a list that is sorted by `key`. The cursor holds the last key, so that a page is correct when
 * entries are added or removed between two calls.
 */
export function pageOf<T>(list: readonly T[], key: (item: T) => string, size: number, cursor?: string): Page<T> {
  const last = cursor === undefined ? undefined : openCursor(cursor);
  const rest = last === undefined ? list : list.filter((item) => key(item) > last);
  const items = rest.slice(0, size);
  const end = items.at(-1);
  return end === undefined || rest.length <= size ? { items } : { items, nextCursor: sealCursor(key(end)) };
}

const MARK = 'k:';

function sealCursor(key: string): string {
  return Buffer.from(MARK + key).toString('base64url');
}

function openCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith(MARK) || sealCursor(text.slice(MARK.length)) !== cursor) {
    throw new AppError('VALIDATION_ERROR', 'cursor must be the nextCursor of an earlier page.', { field: 'cursor' });
  }
  return text.slice(MARK.length);
}
