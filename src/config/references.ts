import { SECRET_REFERENCE } from '../settings.ts';
import type { LoadedConfig } from './load.ts';
import { ConfigError, type Problem } from './problems.ts';
import type { Config } from './schema.ts';
import { isContainer, keyOf } from './schema-walk.ts';
import { givenValues, type Mapping } from './settings-tree.ts';

/** A `${secret:NAME}` in the configuration. */
export interface SecretReference {
  key: string;
  name: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;

export function findReferences(root: Mapping): { references: SecretReference[]; problems: Problem[] } {
  const references: SecretReference[] = [];
  const problems: Problem[] = [];
  for (const [path, setting] of givenValues(root)) {
    if (setting.kind !== 'scalar' || typeof setting.value !== 'string') continue;
    for (const [, name = ''] of setting.value.matchAll(SECRET_REFERENCE)) {
      const key = keyOf(path);
      if (NAME.test(name)) references.push({ key, name });
      else
        problems.push({
          key,
          origin: setting.origin,
          text: `has a reference that names no secret; it must be like \${secret:NAME}`,
        });
    }
  }
  return { references, problems };
}

/** The configuration with every reference replaced by the secret itself. Throws a ConfigError that names those missing. */
export async function resolveReferences(
  { config, references, origins }: Pick<LoadedConfig, 'config' | 'references' | 'origins'>,
  lookup: (name: string) => Promise<string | undefined>,
): Promise<Config> {
  if (references.length === 0) return config;
  const names = new Set(references.map(({ name }) => name));
  const secrets = new Map(await Promise.all([...names].map(async (name) => [name, await lookup(name)] as const)));
  const missing = references.flatMap(({ key, name }) => {
    const origin = secrets.get(name) === undefined ? origins.get(key) : undefined;
    return origin
      ? [
          {
            key,
            origin,
            text: `refers to the secret ${name}, which is not in the secrets store (\`switchboard secret set ${name}\`)`,
          },
        ]
      : [];
  });
  if (missing.length > 0) throw new ConfigError(missing);
  const withSecrets = (text: string) =>
    text.replace(SECRET_REFERENCE, (reference, name: string) => secrets.get(name) ?? reference);
  // Only strings are replaced, and by strings.
  return replaceStrings(config, withSecrets) as Config;
}

function replaceStrings(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceStrings(item, replace));
  if (!isContainer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, replaceStrings(child, replace)]));
}
