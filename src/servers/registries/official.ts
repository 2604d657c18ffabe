import type { Clock } from '../../lib/clock.ts';
import { isVersion } from '../draft/package-names.ts';
import { installOptions, versionOf } from './official-options.ts';
import { isServerName, ListPage, type OfficialResponse, readServer } from './official-schema.ts';
import { REGISTRY_TITLES, type RegistryDetails, type RegistryEntry } from './registry-entry.ts';
import { createRegistryHttp, notUnderstood, type RegistryHttpOptions } from './registry-http.ts';
import type { Found, Registry } from './registry-port.ts';

const PAGE_SIZE = 100;
/** The registry orders by name: the best match may be on a later page. */
const MAX_PAGES = 5;

interface OfficialOptions extends Pick<RegistryHttpOptions, 'timeoutMs' | 'maxBytes' | 'retryPauseMs'> {
  clock: Clock;
  baseUrl: string;
}

/** The official MCP registry, https://github.com/modelcontextprotocol/registry, its API `v0.1`. */
export function officialRegistry({ baseUrl, ...options }: OfficialOptions): Registry {
  const title = REGISTRY_TITLES.official;
  const getJson = createRegistryHttp({ ...options, title });
  const at = (path: string) => new URL(`${baseUrl.replace(/\/+$/, '')}/v0.1/servers${path}`);

  return {
    name: 'official',
    address: baseUrl,

    async search(query, signal): Promise<Found> {
      const found: OfficialResponse[] = [];
      let skipped = 0;
      let cursor: string | undefined;
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const url = at('');
        url.search = String(
          new URLSearchParams({
            search: query,
            version: 'latest',
            limit: String(PAGE_SIZE),
            ...(cursor === undefined ? {} : { cursor }),
          }),
        );
        const page = ListPage.safeParse(await getJson(url, signal));
        if (!page.success) throw notUnderstood(title, page.error);
        for (const item of page.data.servers) {
          const server = readServer(item);
          if (server === undefined) skipped += 1;
          else found.push(server);
        }
        const { nextCursor } = page.data.metadata;
        if (nextCursor === undefined || nextCursor === cursor) break;
        cursor = nextCursor;
      }
      return { entries: newestOfEach(found).map(toEntry), skipped };
    },

    async details(name, version = 'latest', signal): Promise<RegistryDetails | undefined> {
      // No other name exists; `..` would be another address.
      if (!isServerName(name) || !isVersion(version)) return undefined;
      const url = at(`/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`);
      const answer = await getJson(url, signal);
      if (answer === undefined) return undefined;
      const server = readServer(answer);
      if (server === undefined) throw notUnderstood(title);
      if (server.status.status === 'deleted') return undefined;
      return { ...toEntry(server), options: installOptions(server) };
    },
  };
}

/** A registry that does not know `version=latest` lists every version. */
function newestOfEach(servers: readonly OfficialResponse[]): readonly OfficialResponse[] {
  const newest = new Map<string, OfficialResponse>();
  for (const server of servers) {
    if (server.status.status === 'deleted') continue;
    const known = newest.get(server.name.toLowerCase());
    if (known === undefined || (server.status.isLatest && !known.status.isLatest)) {
      newest.set(server.name.toLowerCase(), server);
    }
  }
  return [...newest.values()];
}

function toEntry(server: OfficialResponse): RegistryEntry {
  const { name, title, description = '', websiteUrl, status } = server;
  return {
    registry: 'official',
    id: name,
    title: title || name.slice(name.indexOf('/') + 1),
    description,
    version: versionOf(server),
    ...(status.status === 'deprecated' ? { deprecated: true } : {}),
    ...(status.statusMessage ? { status_message: status.statusMessage } : {}),
    ...(websiteUrl ? { website: websiteUrl } : {}),
  };
}
