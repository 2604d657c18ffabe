import type { ServerConfig } from '../../domain/server-config.ts';
import { fitsWildcard } from '../../lib/wildcard.ts';

/** Whether the configuration of a server lets a tool be offered and called. */
export function allowsTool({ allow, deny = [] }: ServerConfig['tools'], name: string): boolean {
  const fits = (pattern: string) => fitsWildcard(pattern, name);
  return !deny.some(fits) && (allow === undefined || allow.some(fits));
}
