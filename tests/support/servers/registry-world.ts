import type { TestContext } from 'node:test';
import { memoryCache } from '../../../src/servers/registries/cache.ts';
import { officialRegistry } from '../../../src/servers/registries/official.ts';
import type { RegistryCache } from '../../../src/servers/registries/registry-port.ts';
import { createRegistries } from '../../../src/servers/registries/search.ts';
import { smitheryRegistry } from '../../../src/servers/registries/smithery.ts';
import { manualClock } from '../manual-clock.ts';
import { type RegistryServer, startRegistryServer } from './registry-server.ts';

export interface RegistryWorld extends RegistryServer {
  clock: ReturnType<typeof manualClock>;
  registries: ReturnType<typeof createRegistries>;
}

/** Both registries on a server of this machine, with a clock that the test advances. */
export async function registryWorld(
  context: TestContext,
  options: {
    apiKey?: string;
    smitheryTimeoutMs?: number;
    maxBytes?: number;
    cache?: RegistryCache;
    server?: RegistryServer;
  } = {},
): Promise<RegistryWorld> {
  const clock = manualClock();
  const { apiKey, smitheryTimeoutMs = 20_000, cache = memoryCache(), ...limits } = options;
  const server = options.server ?? (await startRegistryServer((clean) => context.after(clean)));
  const common = { clock, retryPauseMs: 1, timeoutMs: 20_000, ...limits };
  const registries = createRegistries({
    registries: [
      smitheryRegistry({
        ...common,
        timeoutMs: smitheryTimeoutMs,
        baseUrl: server.smitheryUrl,
        ...(apiKey ? { apiKey } : {}),
      }),
      officialRegistry({ ...common, baseUrl: server.officialUrl }),
    ],
    cache,
    clock,
  });
  return { ...server, clock, registries };
}
