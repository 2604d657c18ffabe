import { AppError, toAppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { throughCache } from './cache.ts';
import { ranked } from './rank.ts';
import {
  REGISTRIES,
  REGISTRY_TITLES,
  type RegistryDetails,
  type RegistryEntry,
  type RegistryName,
} from './registry-entry.ts';
import type { Found, Registry, RegistryCache } from './registry-port.ts';

const SEARCH_AGE_MS = 60 * 60_000;
const DETAILS_AGE_MS = 24 * 60 * 60_000;
const MAX_QUERY = 200;
const USUAL_LIMIT = 30;
/** Part of the keys of the cache; another when what is cached has another form. */
const CACHED_FORM = 1;

export interface SearchResult {
  entries: readonly RegistryEntry[];
  /** Some of them are from the cache, because their registry did not answer. */
  stale: boolean;
  /** Registries that did not answer, and why. */
  problems: readonly { registry: RegistryName; message: string }[];
  /** Malformed entries that were left out. */
  skipped: number;
  /** How many more there are. */
  more: number;
}

export interface Registries {
  /** Fails only if no registry answered and none was cached. */
  search(
    query: string,
    options?: { registry?: RegistryName; limit?: number; signal?: AbortSignal },
  ): Promise<SearchResult>;
  /** NOT_FOUND if the registry has no such server. Without a registry, the first that has it. */
  details(
    id: string,
    options?: { registry?: RegistryName; version?: string; signal?: AbortSignal },
  ): Promise<{ details: RegistryDetails; stale: boolean }>;
}

interface RegistriesOptions {
  registries: readonly Registry[];
  cache: RegistryCache;
  clock: Clock;
}

export function createRegistries({ registries, cache, clock }: RegistriesOptions): Registries {
  const asked = (name: RegistryName | undefined) =>
    REGISTRIES.flatMap((one) => registries.filter((registry) => registry.name === one)).filter(
      (registry) => name === undefined || registry.name === name,
    );

  async function searchOne(registry: Registry, query: string, signal: AbortSignal | undefined) {
    const key = JSON.stringify([CACHED_FORM, 'search', registry.address, query.toLowerCase()]);
    const { value, problem } = await throughCache<Found>({ cache, clock }, key, SEARCH_AGE_MS, () =>
      registry.search(query, signal),
    );
    return { ...value, registry: registry.name, problem };
  }

  async function detailsOf(registry: Registry, id: string, version: string | undefined, signal?: AbortSignal) {
    const key = JSON.stringify([CACHED_FORM, 'details', registry.address, id, version ?? 'latest']);
    const { value, problem } = await throughCache({ cache, clock }, key, DETAILS_AGE_MS, async () => {
      const details = await registry.details(id, version, signal);
      if (details === undefined) throw notFound(id, registry.name);
      return details;
    });
    return { details: value, stale: problem !== undefined };
  }

  return {
    async search(text, { registry, limit = USUAL_LIMIT, signal } = {}) {
      const query = checkedQuery(text);
      const chosen = asked(registry);
      const answers = await Promise.allSettled(chosen.map((one) => searchOne(one, query, signal)));
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      const failures = answers.map((answer) => (answer.status === 'rejected' ? toAppError(answer.reason) : undefined));
      const [first] = failures.filter((failure) => failure !== undefined);
      if (first && found.length === 0) throw first;
      const lists = found.map((one) => ranked(one.entries, query));
      const entries = fairly(lists, limit);
      return {
        entries,
        stale: found.some(({ problem }) => problem !== undefined),
        problems: [
          ...found.flatMap((one) => (one.problem ? [{ registry: one.registry, message: one.problem.message }] : [])),
          ...chosen.flatMap(({ name }, index) => {
            const failure = failures[index];
            return failure ? [{ registry: name, message: failure.message }] : [];
          }),
        ],
        skipped: found.reduce((sum, { skipped }) => sum + skipped, 0),
        more: lists.flat().length - entries.length,
      };
    },

    async details(id, { registry, version, signal } = {}) {
      const chosen = asked(registry);
      let failure: unknown;
      for (const one of chosen) {
        try {
          return await detailsOf(one, id, version, signal);
        } catch (thrown) {
          const isAbsent = thrown instanceof AppError && thrown.code === 'NOT_FOUND';
          // That a registry could not be asked is more important than that another does not have it.
          if (failure === undefined || !isAbsent) failure = thrown;
        }
      }
      throw failure ?? notFound(id, registry ?? 'official');
    },
  };
}

/** The first of each list, in the order of the lists. A long one does not push out the others. */
function fairly<T>(lists: readonly (readonly T[])[], limit: number): readonly T[] {
  let left = limit;
  return lists.flatMap((list, index) => {
    const later = lists.slice(index + 1);
    const share = Math.floor(left / (later.length + 1));
    const reserved = later.reduce((sum, other) => sum + Math.min(other.length, share), 0);
    const taken = list.slice(0, Math.max(left - reserved, 0));
    left -= taken.length;
    return taken;
  });
}

function checkedQuery(text: string): string {
  const query = text.trim();
  if (query === '') throw new AppError('VALIDATION_ERROR', 'The words to search for are missing.', { field: 'query' });
  if (query.length > MAX_QUERY) {
    throw new AppError('VALIDATION_ERROR', `The query is longer than ${MAX_QUERY} characters.`, { field: 'query' });
  }
  return query;
}

function notFound(id: string, registry: RegistryName): AppError {
  return new AppError('NOT_FOUND', `${quotedName(id)} was not found in ${REGISTRY_TITLES[registry]}.`, {
    hint: '`switchboard servers search WORDS` lists what there is.',
  });
}
