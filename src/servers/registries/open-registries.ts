import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { ServersSettings } from '../settings.ts';
import { fileCache } from './cache.ts';
import { officialRegistry } from './official.ts';
import { createRegistries, type Registries } from './search.ts';
import { smitheryRegistry } from './smithery.ts';

interface OpenRegistriesParts {
  home: string;
  clock: Clock;
  settings: ServersSettings['servers']['registries'];
}

/** The configured registries, with a cache in the home. */
export function openRegistries({ home, clock, settings }: OpenRegistriesParts): Registries {
  const { official_url: official, smithery_url: smithery, smithery_api_key: apiKey } = settings;
  return createRegistries({
    registries: [
      officialRegistry({ clock, baseUrl: official }),
      smitheryRegistry({ clock, baseUrl: smithery, ...(apiKey === undefined ? {} : { apiKey }) }),
    ],
    cache: fileCache(join(home, 'cache', 'registries')),
    clock,
  });
}
