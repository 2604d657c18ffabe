import type { Clock } from '../../lib/clock.ts';
import { createDraft, type DraftInput } from '../draft.ts';
import type { DraftPlace } from '../draft-places.ts';
import { isSafeAddress } from '../draft-url.ts';
import { isHeaderName } from '../package-names.ts';
import { isSecretHeader, isSecretName } from '../secret-names.ts';
import { type InstallOption, REGISTRY_TITLES, type RegistryDetails, type RegistryEntry } from './registry-entry.ts';
import { createRegistryHttp, notUnderstood, type RegistryHttpOptions } from './registry-http.ts';
import type { Found, Registry } from './registry-port.ts';
import {
  isQualifiedName,
  readConfigSchema,
  readConnection,
  readEntry,
  SearchPage,
  SmitheryDetails,
  type SmitheryProperty,
} from './smithery-schema.ts';
import { inputKey } from './texts.ts';

export const SMITHERY_URL = 'https://api.smithery.ai';

const PAGE_SIZE = 50;
/** Its search orders by relevance. */
const MAX_PAGES = 2;

interface SmitheryOptions extends Pick<RegistryHttpOptions, 'timeoutMs' | 'maxBytes' | 'retryPauseMs'> {
  clock: Clock;
  baseUrl?: string;
  apiKey?: string;
}

/** Smithery, https://smithery.ai/docs. Reading works without a key unless it says otherwise. */
export function smitheryRegistry({ baseUrl = SMITHERY_URL, apiKey, ...options }: SmitheryOptions): Registry {
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
      const options = data.connections.map((item) => toOption(item, entry));
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

function toOption(item: unknown, { id, title }: RegistryEntry): InstallOption {
  const connection = readConnection(item);
  if (connection === undefined) return { package: 'unknown', reason: 'its entry in the registry is malformed' };
  if (connection.type !== 'http') return { package: 'bundle', reason: 'bundles of Smithery are not supported' };
  const { deploymentUrl: url } = connection;
  if (url === undefined || !isSafeAddress(url)) return { package: 'http', reason: 'its address is not HTTPS' };
  const fields = readConfigSchema(connection.configSchema);
  const draft = createDraft(
    {
      name: title,
      source: { type: 'smithery', qualified_name: id },
      package: { type: 'http', identifier: url },
      transport: { type: 'http', url },
    },
    {
      inputs: fields.map(({ name, property, required }) => toInput(name, property, required)),
      places: [{ in: 'url', text: [url] }, ...fields.map(({ name, property }) => placeOf(name, property))],
    },
  );
  return { package: 'http', draft };
}

function toInput(name: string, property: SmitheryProperty, required: boolean): DraftInput {
  const { type, title, description, format, enum: choices } = property;
  const header = property['x-from']?.header;
  const isNumber = type === 'number' || type === 'integer';
  return {
    key: inputKey(name),
    kind: 'config',
    ...(description || title ? { description: description || title || '' } : {}),
    required,
    secret: format === 'password' || isSecretName(name) || (header !== undefined && isSecretHeader(header)),
    ...(property.default && !/[\0\r\n]/.test(property.default) ? { default: property.default } : {}),
    ...(choices && choices.length > 0 ? { choices } : {}),
    ...(isNumber ? { format: 'number' } : type === 'boolean' ? { format: 'boolean' } : {}),
  };
}

/** The configuration of a session is in the query of its address, except for what the server takes from headers. */
function placeOf(name: string, property: SmitheryProperty): DraftPlace {
  const text = [{ input: inputKey(name) }];
  const { header, query } = property['x-from'] ?? {};
  if (header !== undefined && isHeaderName(header)) return { in: 'header', name: header, text };
  return { in: 'query', name: query ?? name, text };
}
