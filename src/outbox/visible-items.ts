import { AppError } from '../domain/errors.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import type { OutboxFilter, OutboxItems } from './ports.ts';

/** Items per query. */
const PAGE = 500;

/** The items that a caller may see: others appear not to exist, in pages and their cursors too. */
export function visibleItems(items: OutboxItems, maySee: (item: OutboxItem) => boolean): OutboxItems {
  const find: OutboxItems['find'] = async (id) => {
    const item = await items.find(id);
    return item && maySee(item) ? item : undefined;
  };

  async function list(filter: OutboxFilter = {}): Promise<readonly OutboxItem[]> {
    const { limit = PAGE } = filter;
    const found: OutboxItem[] = [];
    for (let { before } = filter; ; ) {
      const page = await items.list({ ...filter, limit: PAGE, ...(before === undefined ? {} : { before }) });
      found.push(...page.filter(maySee));
      if (page.length < PAGE || found.length >= limit) return found.slice(0, limit);
      before = page.at(-1)?.id;
    }
  }

  return {
    find,
    list,
    async change(id, command) {
      if (await find(id)) return items.change(id, command);
      throw new AppError('NOT_FOUND', 'There is no such item in the outbox.', { field: 'id' });
    },
  };
}
