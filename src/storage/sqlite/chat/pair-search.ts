import type { Database } from '../database.ts';
import { fitting } from './fts-expression.ts';
import { matchesExpression } from './id-checks.ts';
import { mergeNewestFirst } from './newest-first.ts';
import { pendingBetween } from './pending-pairs.ts';
import { scanManyIds } from './scan.ts';
import type { SearchScope } from './search-scope.ts';

const MAX_PENDING_PER_READ = 5_000;

/** Whether the index of pairs has all that limits the scope. */
export function isInPairs({ match, places, exclude }: SearchScope): boolean {
  return match === places && exclude === undefined;
}

/** Ids of messages that may have these pairs and signs, newest first: those of the index, and those that are not in it yet. */
export async function* idsByPairs(
  db: Database,
  scope: SearchScope,
  expressions: readonly string[],
  expected: number,
): AsyncGenerator<number[]> {
  yield* mergeNewestFirst([scanManyIds(db, inPairs(scope, expressions), expected), pendingIds(db, scope)]);
}

/** The scope, searched in the index of pairs. */
export function inPairs(scope: SearchScope, expressions: readonly string[]): SearchScope {
  const { chat: _, ...wide } = scope;
  return { ...wide, index: 'message_pairs', match: [...scope.places, ...expressions] };
}

async function* pendingIds(db: Database, { places, checks, low, high }: SearchScope): AsyncGenerator<number[]> {
  const all = places.length === 0 ? checks : [matchesExpression(fitting(places)), ...checks];
  for (let below = high; ; ) {
    const end = below;
    const { ids, found } = await db.read((reader) => {
      const pending = pendingBetween(reader, low, end, MAX_PENDING_PER_READ);
      return { found: pending, ids: all.reduce<readonly number[]>((left, check) => check(reader, left), pending) };
    });
    if (ids.length > 0) yield [...ids];
    const last = found.at(-1);
    if (last === undefined || found.length < MAX_PENDING_PER_READ) return;
    below = last;
  }
}
