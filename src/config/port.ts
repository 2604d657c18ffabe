import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Environment } from './environment.ts';
import { loadConfig } from './load.ts';
import type { ConfigModel } from './model.ts';
import { ConfigError } from './problems.ts';
import { resolveReferences } from './references.ts';
import { describeConfig, maskedConfig, plainSecrets } from './show.ts';

interface Parts {
  model: ConfigModel;
  home: string;
  env: Environment;
  flags?: Readonly<Record<string, unknown>>;
  /** Looks into the secrets store. */
  secret?(name: string): Promise<string | undefined>;
}

/**
 * Operations on the configuration. Everything is read from the file, so that it works even if the rest cannot start.
 */
export function configPort({ model, home, env, flags = {}, secret }: Parts) {
  const usual = join(home, 'config.yaml');
  const load = () => loadConfig({ model, home, env, flags });
  return {
    async settings() {
      const loaded = await load();
      return { file: loaded.file ?? null, settings: describeConfig(loaded), warnings: loaded.warnings };
    },
    async masked(): Promise<JsonObject> {
      return maskedConfig(await load());
    },
    async validate(path?: string) {
      const loaded = await loadConfig({ model, home, env, flags, ...(path === undefined ? {} : { file: path }) });
      const unseen = secret ? await unseenSecrets(loaded, secret) : [];
      return { path: path ?? usual, exists: loaded.file !== undefined, warnings: [...loaded.warnings, ...unseen] };
    },
    /** For `doctor`: secrets are resolved too, and classified by how they are stored. */
    async examine(lookup: (name: string) => Promise<string | undefined>) {
      const loaded = await load();
      const { auth } = await resolveReferences(loaded, lookup);
      return {
        file: loaded.file ?? null,
        warnings: loaded.warnings,
        plainSecrets: plainSecrets(loaded),
        isOpenToOthers: loaded.file !== undefined && mayOthersWrite(loaded.file),
        ...(auth.token === undefined ? {} : { ownerToken: auth.token.length }),
        tokens: auth.tokens.length,
      };
    },
    async path() {
      return { path: usual, exists: existsSync(usual) };
    },
  };
}

/** Whoever writes the configuration decides what may be sent and who may call. */
function mayOthersWrite(path: string): boolean {
  const { mode, uid } = statSync(path);
  return (mode & 0o002) !== 0 || (uid !== 0 && uid !== process.getuid?.());
}

/** Fails where a secret is missing. That none can be looked up here, without the passphrase perhaps, is no fault of the file. */
async function unseenSecrets(
  loaded: Awaited<ReturnType<typeof loadConfig>>,
  secret: (name: string) => Promise<string | undefined>,
): Promise<readonly string[]> {
  try {
    await resolveReferences(loaded, secret);
    return [];
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof AppError)) throw error;
    return [`Whether the secrets it refers to are there was not seen: ${error.message}`];
  }
}
