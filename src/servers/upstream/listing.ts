import type { JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { LISTS, type ListName, UpstreamFailure } from './upstream.ts';

const MAX_ITEMS = 10_000;
const MAX_PAGES = 1_000;
/** Of a whole list, in characters of JSON. */
const MAX_LENGTH = 32 * 1024 * 1024;
const METHOD_NOT_FOUND = -32601;

/** The capability that has each list. */
const CAPABILITIES: Record<ListName, string> = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'resources',
  prompts: 'prompts',
};

export interface Listing {
  capabilities: JsonObject;
  request(method: string, params: JsonObject): Promise<JsonObject>;
  onNoise(text: string): void;
}

/** All pages of a list. What is not an object is left out; a list without an end is cut. */
export async function fetchList(name: ListName, { capabilities, request, onNoise }: Listing): Promise<JsonObject[]> {
  if (!isRecord(capabilities[CAPABILITIES[name]])) return [];
  const items: JsonObject[] = [];
  const cursors = new Set<string>();
  let length = 0;
  let cursor: string | undefined;
  do {
    const page = await request(LISTS[name], cursor === undefined ? {} : { cursor }).catch(emptyIfUnknown);
    const listed = page[name];
    for (const item of Array.isArray(listed) ? listed : []) {
      length += JSON.stringify(item).length;
      if (isRecord(item) && length <= MAX_LENGTH) items.push(item);
    }
    cursor = typeof page.nextCursor === 'string' && !cursors.has(page.nextCursor) ? page.nextCursor : undefined;
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined && items.length < MAX_ITEMS && cursors.size < MAX_PAGES && length <= MAX_LENGTH);
  if (cursor !== undefined || items.length > MAX_ITEMS || length > MAX_LENGTH)
    onNoise(`The list of ${name} is too long and was cut.`);
  return items.slice(0, MAX_ITEMS);
}

/** Many servers with resources have no templates, and do not know the method. */
function emptyIfUnknown(thrown: unknown): JsonObject {
  if (thrown instanceof UpstreamFailure && thrown.rpc?.code === METHOD_NOT_FOUND) return {};
  throw thrown;
}
