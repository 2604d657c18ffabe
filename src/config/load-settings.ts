import { loadConfig } from './load.ts';
import { resolveReferences } from './references.ts';
import { secretValues } from './show.ts';

interface LoadSettingsParts {
  load: Parameters<typeof loadConfig>[0];
  /** Masks a secret from now on. */
  maskSecret(value: string): void;
  secret(name: string): Promise<string | undefined>;
}

/** The configuration as the files have it now, with the secrets that it refers to. */
export async function loadSettings({ load, maskSecret, secret }: LoadSettingsParts) {
  const loaded = await loadConfig(load);
  for (const value of secretValues(loaded)) maskSecret(value);
  return { ...loaded, config: await resolveReferences(loaded, secret) };
}
