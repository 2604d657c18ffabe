import type { SearchIndex } from '../../../chat/ports.ts';
import type { Database } from '../database.ts';
import { storedCount } from './merge-grown.ts';
import { updateIndex } from './update-index.ts';

/** More messages than this between two calls are an import or a first sync, which the work would hold up. */
const MAX_ADDED = 2_000;

export function createSearchIndex(db: Database): SearchIndex {
  let known: number | undefined;
  return {
    async update(signal) {
      const stored = await db.read(storedCount);
      const isBusy = known !== undefined && stored - known > MAX_ADDED;
      known = stored;
      return isBusy ? 0 : updateIndex(db, signal);
    },
  };
}
