import { AppError } from '../domain/errors.ts';
import type { Grants } from '../domain/grants.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import type { OutboxFilter, OutboxItems } from './ports.ts';

/** Items per query. */
const PAGE = 500;

/** The items that `view` returns for a caller: others appear not to exist, in pages and their cursors too. */
export function visibleItems(items: OutboxItems, view: (item: OutboxItem) => OutboxItem | undefined): OutboxItems {
  const find: OutboxItems['find'] = async (id) => {
    const item = await items.find(id);
    return item && view(item);
  };

  async function list(filter: OutboxFilter = {}): Promise<readonly OutboxItem[]> {
    const { limit = PAGE } = filter;
    const found: OutboxItem[] = [];
    for (let { before } = filter; ; ) {
      const page = await items.list({ ...filter, limit: PAGE, ...(before === undefined ? {} : { before }) });
      found.push(...page.map(view).filter((item) => item !== undefined));
      if (page.length < PAGE || found.length >= limit) return found.slice(0, limit);
      before = page.at(-1)?.id;
    }
  }

  return {
    find,
    list,
    async change(id, command) {
      if (!(await find(id))) throw new AppError('NOT_FOUND', 'There is no such item in the outbox.', { field: 'id' });
      const changed = await items.change(id, command);
      return view(changed) ?? changed;
    },
  };
}

/** Without the chats that its sender had read, where these are not granted to the caller. */
export function withGrantedReads(item: OutboxItem, { everything, includes }: Grants): OutboxItem {
  const { heldBecause, reason: _, ...rest } = item;
  if (everything || !heldBecause) return item;
  const granted = heldBecause.filter(({ source, chat }) => includes({ source, id: chat }));
  if (granted.length === heldBecause.length) return item;
  return { ...rest, heldBecause: granted, reason: 'Its session has read what other users wrote elsewhere.' };
}
