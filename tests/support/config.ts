import assert from 'node:assert/strict';
import type { ChatSettings } from '../../src/chat/settings.ts';
import { composedConfigModel } from '../../src/compose.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problems.ts';
import type { OutboxSettings } from '../../src/outbox/settings.ts';

interface Given {
  yaml?: string;
  env?: Record<string, string>;
  flags?: Record<string, unknown>;
  /** Other files, by path. */
  files?: Record<string, string>;
}

/** All sections of the program; those of capabilities to come are not typed yet. */
type WholeConfig = LoadedConfig['config'] &
  ChatSettings &
  OutboxSettings &
  // biome-ignore lint/suspicious/noExplicitAny: only tests look into them
  Record<'accounts' | 'servers' | 'claude', any>;

/** As the program has it. */
export const CONFIG_MODEL = await composedConfigModel();

const HOME = '/home/alice/.switchboard';
export const CONFIG_FILE = `${HOME}/config.yaml`;

/** A configuration from texts, without touching a disk. */
export async function load({
  yaml,
  env = {},
  flags = {},
  files = {},
}: Given): Promise<LoadedConfig & { config: WholeConfig }> {
  const texts = new Map(Object.entries(files));
  if (yaml !== undefined) texts.set(CONFIG_FILE, yaml);
  const loaded = await loadConfig({ model: CONFIG_MODEL, home: HOME, env, flags, readFile: (path) => texts.get(path) });
  return loaded as LoadedConfig & { config: WholeConfig };
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
