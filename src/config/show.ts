import { basename } from 'node:path';
import type { z } from 'zod';
import type { Json, JsonObject } from '../domain/json.ts';
import { childrenOf, configValues, isCompound, isReference, secretsIn } from './config-values.ts';
import type { LoadedConfig } from './load.ts';
import { isSecret, keyOf } from './schema-walk.ts';
import type { SettingOrigin } from './settings-tree.ts';

interface ConfigRow {
  key: string;
  /** Nothing when it is not set; a mask when it is a secret. */
  value: Json;
  /** `default`, `config.yaml:12`, a variable or a flag. */
  origin: string;
}

type Shown = Pick<LoadedConfig, 'model' | 'config' | 'origins'>;

const MASK = '••••';

/** Every setting in effect and its origin. */
export function describeConfig({ model, config, origins }: Shown): ConfigRow[] {
  return [...configValues(config, model.schema)].map(({ path, schema, value }) => {
    const key = keyOf(path);
    return { key, value: shown(schema, value), origin: wordsFor(origins.get(key)) };
  });
}

/** The same as one object, without what is not set. */
export function maskedConfig({ model, config }: Shown): JsonObject {
  return masked(model.schema, config) as JsonObject;
}

/** Secrets that are in the file as plain text: logs and answers must mask them. */
export function secretValues({ model, config }: Shown): string[] {
  return [...configValues(config, model.schema)].flatMap(({ schema, value }) => secretsIn(schema, value));
}

/** Keys of secrets that are in the file as plain text. A hash is not one. */
export function plainSecrets({ model, config, origins }: Shown): string[] {
  return [...configValues(config, model.schema)]
    .filter(({ schema, value }) => secretsIn(schema, value).length > 0)
    .map(({ path }) => keyOf(path))
    .filter((key) => isPlainlyIn(origins.get(key)) && !key.endsWith('token_hash'));
}

function isPlainlyIn(origin: SettingOrigin | undefined): boolean {
  return origin?.kind === 'file' && !origin.indirect;
}

function masked(schema: z.core.$ZodType, value: unknown): Json {
  if (!isCompound(schema, value)) return shown(schema, value);
  const set = childrenOf(schema, value).filter((child) => child.value !== undefined);
  if (Array.isArray(value)) return set.map((child) => masked(child.schema, child.value));
  return Object.fromEntries(set.map((child) => [child.step, masked(child.schema, child.value)]));
}

function shown(schema: z.core.$ZodType, value: unknown): Json {
  if (value === undefined) return null;
  if (isSecret(schema) && !isReference(value)) return MASK;
  return withoutPasswords(without(secretsIn(schema, value), value as Json));
}

function without(secrets: readonly string[], value: Json): Json {
  if (Array.isArray(value)) return value.map((each) => without(secrets, each));
  if (typeof value !== 'string') return value;
  return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value);
}

/** Addresses may hold a user's name and password. */
function withoutPasswords(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutPasswords);
  return typeof value === 'string' ? value.replace(/:\/\/[^/\s]*@/g, `://${MASK}@`) : value;
}

function wordsFor(origin: SettingOrigin | undefined): string {
  switch (origin?.kind) {
    case undefined:
      return 'default';
    case 'file':
      return `${basename(origin.file)}:${origin.line}`;
    case 'variable':
      return origin.name;
    case 'flag':
      return `flag --set ${origin.name}`;
  }
}
