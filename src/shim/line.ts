import { resolve } from 'node:path';
import { apiAddress } from '../lib/api-address.ts';
import { homeOf } from '../lib/home-path.ts';
import type { RemoteOptions } from './remote.ts';
import type { ShimOptions } from './run.ts';

/**
 * The options of `switchboard mcp …` where that is a shim's whole work; `undefined` for any other line, which the CLI
 * then reads, and refuses, with all its care.
 */
export function shimOptions(args: readonly string[], env: NodeJS.ProcessEnv, program: string): ShimOptions | undefined {
  const [command, ...rest] = args;
  if (command !== 'mcp') return undefined;
  const options = { home: homeOf(env), program, only: [] as string[], readOnly: false, mayStart: true };
  for (let at = 0; at < rest.length; at++) {
    const [name, ...given] = (rest[at] ?? '').split('=');
    const value = () => (given.length > 0 ? given.join('=') : rest[++at]);
    if (name === '--read-only' && given.length === 0) options.readOnly = true;
    else if (name === '--only') {
      const names = value();
      if (!names || names.startsWith('-')) return undefined;
      options.only.push(...names.split(','));
    } else if (name === '--home') {
      const home = value();
      if (!home || home.startsWith('-')) return undefined;
      options.home = resolve(home);
    } else return undefined;
  }
  return options;
}

/** The same for `switchboard mcp --api-url …`. */
export function remoteOptions(args: readonly string[], env: NodeJS.ProcessEnv): RemoteOptions | undefined {
  const [command, ...rest] = args;
  if (command !== 'mcp') return undefined;
  const only: string[] = [];
  const once = new Map<string, string>();
  for (let at = 0; at < rest.length; at++) {
    // Every command accepts it; here all output is JSON anyway.
    if (rest[at] === '--json') continue;
    const [name, ...given] = (rest[at] ?? '').split('=');
    const value = given.length > 0 ? given.join('=') : rest[++at];
    if (!value || (given.length === 0 && value.startsWith('-'))) return undefined;
    if (name === '--only') only.push(...value.split(','));
    else if (name && ['--api-url', '--token', '--home'].includes(name) && !once.has(name)) once.set(name, value);
    else return undefined;
  }
  const token = (once.get('--token') ?? env.SWITCHBOARD_API_TOKEN)?.trim();
  const address = apiAddress(once.get('--api-url') ?? '', only);
  return address && { ...address, ...(token ? { token } : {}) };
}
