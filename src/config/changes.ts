import { isDeepStrictEqual } from 'node:util';
import { configValues } from './config-values.ts';
import type { Config } from './schema.ts';
import { keyOf } from './schema-walk.ts';

/** Sections that are read again whenever they are needed, and what in them is used at the start alone. */
const LIVE = ['server', 'auth', 'limits', 'sources', 'policy', 'telemetry', 'logging', 'mcp'] as const;
const AT_START: ReadonlySet<string> = new Set([
  'limits.connect_timeout_ms',
  'mcp.allowed_hosts',
  'mcp.allowed_origins',
]);

/** Which keys differ: those that can be used at once, and those that take a new start. */
export function changesBetween(before: Config, after: Config): { live: string[]; atStart: string[] } {
  const [old, now] = [valuesByKey(before), valuesByKey(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  const changed = keys.filter((key) => !isDeepStrictEqual(old.get(key), now.get(key))).sort();
  return { live: changed.filter(isLive), atStart: changed.filter((key) => !isLive(key)) };
}

/** What can be used at once is in force from here on, for whoever has been given this configuration. */
export function adopt(inForce: Config, next: Config): void {
  for (const section of LIVE) replace(inForce[section], next[section]);
}

/** What is not set any more has to go, too. */
function replace(before: Record<string, unknown>, after: object): void {
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) delete before[key];
  Object.assign(before, after);
}

function isLive(key: string): boolean {
  // A section that is empty is itself the key.
  return LIVE.some((section) => key === section || key.startsWith(`${section}.`)) && !AT_START.has(key);
}

function valuesByKey(config: Config): Map<string, unknown> {
  return new Map([...configValues(config)].map(({ path, value }) => [keyOf(path), value]));
}
