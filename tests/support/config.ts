import assert from 'node:assert/strict';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problems.ts';

interface Given {
  yaml?: string;
  env?: Record<string, string>;
  flags?: Record<string, unknown>;
  /** Other files, by path. */
  files?: Record<string, string>;
}

const HOME = '/home/alice/.switchboard';
export const CONFIG_FILE = `${HOME}/config.yaml`;

/** A configuration from texts, without touching a disk. */
export function load({ yaml, env = {}, flags = {}, files = {} }: Given): Promise<LoadedConfig> {
  const texts = new Map(Object.entries(files));
  if (yaml !== undefined) texts.set(CONFIG_FILE, yaml);
  return loadConfig({ home: HOME, env, flags, readFile: (path) => texts.get(path) });
}

/** The lines that say what is wrong with it. */
export async function problemsOf(given: Given): Promise<readonly string[]> {
  const error: unknown = await load(given).then(
    () => assert.fail('the configuration is valid'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ConfigError, String(error));
  return error.problems;
}
