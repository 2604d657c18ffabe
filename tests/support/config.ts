import assert from 'node:assert/strict';
import type { ChatSettings } from '../../src/chat/settings.ts';
import { composedConfigModel } from '../../src/compose.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problems.ts';
import type { EmailSettings } from '../../src/email/settings.ts';
import type { OutboxSettings } from '../../src/outbox/settings.ts';

interface Given {
  yaml?: string;
  env?: Record<string, string>;
  flags?: Record<string, unknown>;
  /** Other files, by path. */
  files?: Record<string, string>;
}

/** All sections of the program; sections of future capabilities are not typed yet. */
type WholeConfig = LoadedConfig['config'] &
  ChatSettings &
  EmailSettings &
  OutboxSettings &
  // biome-ignore lint/suspicious/noExplicitAny: only tests read them
  Record<'servers' | 'claude', any>;

/** The sections of the program. */
export const CONFIG_MODEL = await composedConfigModel();

const HOME = '/home/alice/.switchboard';
export const CONFIG_FILE = `${HOME}/config.yaml`;

/** Parses a configuration from texts, without a disk. */
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

/** The lines of the validation error. */
export async function problemsOf(given: Given): Promise<readonly string[]> {
  const error: unknown = await load(given).then(
    () => assert.fail('the configuration is valid'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ConfigError, String(error));
  return error.problems;
}
