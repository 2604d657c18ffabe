import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../domain/json.ts';
import type { Environment } from './environment.ts';
import { loadConfig } from './load.ts';
import { describeConfig, maskedConfig } from './show.ts';

interface Parts {
  home: string;
  env: Environment;
  flags?: Readonly<Record<string, unknown>>;
}

/** What people ask about the configuration. Everything is read anew: it also answers when the rest cannot start. */
export function configPort({ home, env, flags = {} }: Parts) {
  const usual = join(home, 'config.yaml');
  const load = () => loadConfig({ home, env, flags });
  return {
    async settings() {
      const loaded = await load();
      return { file: loaded.file ?? null, settings: describeConfig(loaded), warnings: loaded.warnings };
    },
    async masked(): Promise<JsonObject> {
      return maskedConfig((await load()).config);
    },
    async validate(path?: string) {
      const { file, warnings } = await loadConfig({ home, env, flags, ...(path === undefined ? {} : { file: path }) });
      return { path: path ?? usual, exists: file !== undefined, warnings };
    },
    async path() {
      return { path: usual, exists: existsSync(usual) };
    },
  };
}
