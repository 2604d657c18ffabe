import type { ServerConfig, ServerId, ServerPackage } from '../../../src/domain/server-config.ts';

/** A server that runs on this machine, with defaults for all that is not given. */
export function serverConfig(given: Partial<ServerConfig> & { package: ServerPackage }): ServerConfig {
  return {
    id: 'acme' as ServerId,
    name: 'Acme',
    enabled: true,
    source: { type: 'manual' },
    transport: { type: 'stdio' },
    args: [],
    env_vars: {},
    headers: {},
    auth: { type: 'none' },
    config: {},
    tools: {},
    start: 'lazy',
    trusted: false,
    protocol: 'auto',
    connection: 'shared',
    ...given,
  };
}
