import type { Clock } from '../../lib/clock.ts';
import { REGISTRY_TITLES, type RegistryDetails, type RegistryEntry } from './registry-entry.ts';
import { createRegistryHttp, notUnderstood, type RegistryHttpOptions } from './registry-http.ts';
import type { Found, Registry } from './registry-port.ts';
import { smitheryOption } from './smithery-options.ts';
import { isQualifiedName, readEntry, SearchPage, SmitheryDetails } from './smithery-schema.ts';

const PAGE_SIZE = 50;
/** Its search orders by relevance. */
const MAX_PAGES = 2;

interface SmitheryOptions extends Pick<RegistryHttpOptions, 'timeoutMs' | 'maxBytes' | 'retryPauseMs'> {
  clock: Clock;
  baseUrl: string;
  apiKey?: string;
}

/** Smithery, https://smithery.ai/docs. Reading works without a key unless it says otherwise. */
export function smitheryRegistry({ baseUrl, apiKey, ...options }: SmitheryOptions): Registry {
  const title = REGISTRY_TITLES.smithery;
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  const getJson = createRegistryHttp({ ...options, title, headers });
  const at = (path: string) => new URL(`${baseUrl.replace(/\/+$/, '')}/servers${path}`);

  return {
    name: 'smithery',
    address: baseUrl,

    async search(query, signal): Promise<Found> {
      const entries: RegistryEntry[] = [];
      let skipped = 0;
      for (let number = 1; number <= MAX_PAGES; number += 1) {
        const url = at('');
        url.search = String(new URLSearchParams({ q: query, page: String(number), pageSize: String(PAGE_SIZE) }));
        const page = SearchPage.safeParse(await getJson(url, signal));
        if (!page.success) throw notUnderstood(title, page.error);
        for (const item of page.data.servers) {
          const entry = readEntry(item);
          if (entry === undefined) skipped += 1;
          else entries.push(toEntry(entry));
        }
        if (number >= page.data.pagination.totalPages || page.data.servers.length === 0) break;
      }
      return { entries, skipped };
    },

    async details(name, _version, signal): Promise<RegistryDetails | undefined> {
      if (!isQualifiedName(name)) return undefined;
      const answer = await getJson(at(`/${name.split('/').map(encodeURIComponent).join('/')}`), signal);
      if (answer === undefined) return undefined;
      const { success, data, error } = SmitheryDetails.safeParse(answer);
      if (!success) throw notUnderstood(title, error);
      const entry = toEntry(data);
      const options = data.connections.map((item) => smitheryOption(item, entry));
      return { ...entry, options: options.toSorted((a, b) => Number('reason' in a) - Number('reason' in b)) };
    },
  };
}

function toEntry(found: {
  qualifiedName: string;
  displayName?: string | undefined;
  description?: string | undefined;
  homepage?: string | undefined;
  verified?: boolean | undefined;
  useCount?: number | undefined;
}): RegistryEntry {
  const { qualifiedName, displayName, description = '', homepage, verified, useCount } = found;
  return {
    registry: 'smithery',
    id: qualifiedName,
    title: displayName || qualifiedName,
    description,
    ...(verified ? { verified } : {}),
    ...(useCount === undefined ? {} : { use_count: useCount }),
    ...(homepage ? { website: homepage } : {}),
  };
}
