import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { check } from './check.ts';
import { applyEnvironment, type Environment, type ReadText } from './environment.ts';
import type { ConfigModel } from './model.ts';
import { ConfigError, lineOf, type Problem } from './problems.ts';
import { readSmallText } from './read-text.ts';
import { findReferences, type SecretReference } from './references.ts';
import type { Config } from './schema.ts';
import { isList, keyOf, schemaAt } from './schema-walk.ts';
import {
  fromJson,
  givenValues,
  isEmpty,
  type Mapping,
  mapping,
  plain,
  put,
  remove,
  type SettingOrigin,
  settingAt,
} from './settings-tree.ts';
import { settle } from './settle.ts';

export interface LoadOptions {
  model: ConfigModel;
  home: string;
  env: Environment;
  /** Keys with dots (`logging.level`), values as typed. */
  flags?: Readonly<Record<string, unknown>>;
  /** Another file than `config.yaml` of the home; it must exist. */
  file?: string;
  readFile?: ReadText;
}

export interface LoadedConfig {
  model: ConfigModel;
  config: Config;
  /** The origin of each value that is not a default, by key. */
  origins: ReadonlyMap<string, SettingOrigin>;
  /** Settings that work, but maybe not as intended. */
  warnings: readonly string[];
  /** The file that was read; none when there is none. */
  file?: string;
  /** Secrets that only the secrets store knows. */
  references: readonly SecretReference[];
}

/** Defaults, then the file, then the environment, then flags. Throws a ConfigError that names every problem. */
export async function loadConfig({
  model,
  home,
  env,
  flags = {},
  file,
  readFile = readSmallText,
}: LoadOptions): Promise<LoadedConfig> {
  const path = file ?? join(home, 'config.yaml');
  const text = readFile(path);
  if (text === undefined && file !== undefined) {
    throw new AppError('NOT_FOUND', `There is no file ${path}.`, { field: 'path' });
  }
  const { root, problems } = await parse(text, path);
  const warnings = [...renameOldKeys(root)];
  const fromEnvironment = applyEnvironment(root, model, env, readFile);
  problems.push(...fromEnvironment.problems, ...applyFlags(root, flags));
  warnings.push(...fromEnvironment.warnings, ...dropIgnoredKeys(root, model), ...emptyLists(root, model));

  const settled = settle(root, model.schema, env, problems) as Mapping;
  const checked = check(settled, model);
  if (!checked.ok) problems.push(...checked.problems);
  const { references, problems: badReferences } = findReferences(settled);
  problems.push(...badReferences);
  if (!checked.ok || problems.length > 0) throw new ConfigError(problems);
  return {
    model,
    config: checked.config,
    origins: originsIn(settled),
    warnings,
    ...(text === undefined ? {} : { file: path }),
    references,
  };
}

async function parse(text: string | undefined, file: string): Promise<{ root: Mapping; problems: Problem[] }> {
  if (text === undefined) return { root: mapping({ kind: 'file', file, line: 1, column: 1 }), problems: [] };
  // The parser is as large as everything else at startup, so it is loaded only if there is a file.
  const { parseYaml } = await import('./yaml-file.ts');
  return parseYaml(text, file);
}

/** `server.log_level` is the old name of `logging.level`. */
function renameOldKeys(root: Mapping): string[] {
  const old = remove(root, ['server', 'log_level']);
  if (!old || isEmpty(old)) return [];
  const taken = settingAt(root, ['logging', 'level']);
  if (taken && !isEmpty(taken)) {
    return [lineOf({ key: 'server.log_level', origin: old.origin, text: 'is ignored, because logging.level is set' })];
  }
  put(root, ['logging', 'level'], old);
  return [];
}

function applyFlags(root: Mapping, flags: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(flags).flatMap(([key, value]) => {
    const path = key === 'server.log_level' ? ['logging', 'level'] : key.split('.');
    const origin: SettingOrigin = { kind: 'flag', name: key };
    const given = fromJson(value ?? null, origin);
    if (isEmpty(given)) return [];
    const setting = given.kind === 'scalar' ? { ...given, untyped: typeof given.value === 'string' } : given;
    if (put(root, path, setting)) return [];
    return [{ key: keyOf(path), origin, text: 'a key above it holds something that is not a mapping' }];
  });
}

function dropIgnoredKeys(root: Mapping, { ignoredKeys }: ConfigModel): string[] {
  return ignoredKeys.flatMap(({ path, text }) => {
    const given = remove(root, path);
    return given ? [lineOf({ key: keyOf(path), origin: given.origin, text })] : [];
  });
}

/** `channels: #x` is an empty list with a comment in YAML, although the user intended a channel. */
function emptyLists(root: Mapping, { schema, sections }: ConfigModel): string[] {
  const value = plain(root);
  return [...givenValues(root)].flatMap(([path, setting]) => {
    const section = sections[String(path[0])];
    if (!section?.entry || !isEmpty(setting) || !isList(schemaAt(schema, path, value))) return [];
    const text = 'is empty; names that begin with # stand in quotes: ["#name"]';
    return [lineOf({ key: keyOf(path), origin: setting.origin, text })];
  });
}

function originsIn(settled: Mapping): ReadonlyMap<string, SettingOrigin> {
  const given = [...givenValues(settled)].filter(([, setting]) => setting.kind !== 'mapping' && !isEmpty(setting));
  return new Map(given.map(([path, { origin }]) => [keyOf(path), origin]));
}
