import { z } from 'zod';
import { isScope, unknownCapability } from '../domain/principal.ts';
import { closest } from '../lib/did-you-mean.ts';
import { core } from '../settings.ts';
import { asConfig, type ConfigModel } from './model.ts';
import type { Problem } from './problems.ts';
import type { Config } from './schema.ts';
import { fieldsOf, isContainer, keyOf, type Path, schemaAt, validity } from './schema-walk.ts';
import { isEmpty, type Mapping, originAt, plain, settingAt } from './settings-tree.ts';

const ID = /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/;
const LONGEST_ID = 64;

export type Checked = { ok: true; config: Config } | { ok: false; problems: Problem[] };

export function check(root: Mapping, model: ConfigModel): Checked {
  const value = plain(root);
  // Compiling the schema takes longer than checking one value without.
  const result = model.schema.safeParse(value, { jitless: true });
  const problems = [
    ...(result.error?.issues ?? []).flatMap((issue) => problemsOf(issue, model, root, value)),
    ...problemsOfIds(root, model),
    ...problemsOfTokens(root, value),
    ...problemsOfScopes(root, value, model),
  ];
  return result.success && problems.length === 0
    ? { ok: true, config: asConfig(result.data) }
    : { ok: false, problems };
}

function problemsOf(issue: z.core.$ZodIssue, model: ConfigModel, root: Mapping, value: unknown): Problem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey([...path, key], model, root, value));
  return [problemAt(root, path, invalid(path, model, root, value))];
}

function unknownKey(path: Path, model: ConfigModel, root: Mapping, value: unknown): Problem {
  const parent = path.slice(0, -1);
  const schema = schemaAt(model.schema, parent, value);
  const known = schema ? [...fieldsOf(schema, valueAt(value, parent)).keys()] : [];
  const meant = closest(String(path.at(-1)), known);
  const text = meant === undefined ? `known here are ${known.join(', ')}` : `did you mean ${meant}?`;
  return problemAt(root, path, `is not a known key; ${text}`);
}

function invalid(path: Path, model: ConfigModel, root: Mapping, value: unknown): string {
  const schema = schemaAt(model.schema, path, value);
  const valid = schema ? validity(schema) : 'something else';
  const setting = settingAt(root, path);
  if (setting === undefined || isEmpty(setting)) return `is missing; it must be ${valid}`;
  if (setting.kind !== 'scalar') return `must be ${valid}`;
  if (typeof setting.value !== 'string') return `must be ${valid}${isText(schema) ? '; put it in quotes' : ''}`;
  const meant = schema && closest(setting.value, wordsOf(schema));
  return meant === undefined ? `must be ${valid}` : `must be ${valid}; did you mean ${meant}?`;
}

function isText(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && core(schema) instanceof z.ZodString;
}

/** The allowed values, if there is a fixed set. */
function wordsOf(schema: z.core.$ZodType): string[] {
  const type = core(schema);
  return type instanceof z.ZodEnum ? type.options.map(String) : [];
}

/** Sections whose ids are part of tool names, such as sources and accounts, share one namespace of ids. */
function problemsOfIds(root: Mapping, { sections, reservedIds }: ConfigModel): Problem[] {
  const takenBy = new Map<string, string>();
  const ids = Object.entries(sections).flatMap(([section, { entry }]) => {
    const setting = entry === undefined ? undefined : settingAt(root, [section]);
    return setting?.kind === 'mapping' ? [...setting.entries.keys()].map((id) => ({ section, id, entry })) : [];
  });
  return ids.flatMap(({ section, id, entry = '' }) => {
    const path = [section, id];
    if (!ID.test(id) || id.length > LONGEST_ID) {
      const text = `an id has up to ${LONGEST_ID} lower-case letters and digits, with single - or _ between them`;
      return [problemAt(root, path, text)];
    }
    if (reservedIds.has(id)) return [problemAt(root, path, 'this id is reserved; choose another')];
    const other = takenBy.get(id);
    takenBy.set(id, entry);
    return other === undefined ? [] : [problemAt(root, path, `${other} has this id already; choose another`)];
  });
}

function problemsOfTokens(root: Mapping, value: unknown): Problem[] {
  const tokens = valueAt(value, ['auth', 'tokens']);
  if (!Array.isArray(tokens)) return [];
  // The owner's token and the user of this machine are called so; sessions belong to a name.
  const names = new Set<unknown>(['owner', 'local']);
  return tokens.flatMap((token: unknown, index) => {
    const name = isContainer(token) ? token.name : undefined;
    const taken = name !== undefined && names.has(name);
    names.add(name);
    return taken ? [problemAt(root, ['auth', 'tokens', index, 'name'], 'this name is taken')] : [];
  });
}

function problemsOfScopes(root: Mapping, value: unknown, { capabilities }: ConfigModel): Problem[] {
  const tokens = valueAt(value, ['auth', 'tokens']);
  const ofTokens = Array.isArray(tokens) ? tokens.map((_, index) => ['auth', 'tokens', index, 'scopes']) : [];
  return [['mcp', 'local_scopes'], ...ofTokens].flatMap((path) => {
    const scopes = valueAt(value, path);
    if (!Array.isArray(scopes)) return [];
    return scopes.flatMap((scope: unknown, index) => {
      const name = typeof scope === 'string' && isScope(scope) ? unknownCapability([scope], capabilities) : undefined;
      if (name === undefined) return [];
      const meant = closest(name, capabilities);
      const text = meant === undefined ? `known are ${capabilities.join(', ')}` : `did you mean ${meant}?`;
      return [problemAt(root, [...path, index], `begins with no capability; ${text}`)];
    });
  });
}

function problemAt(root: Mapping, path: Path, text: string): Problem {
  return { ...(path.length === 0 ? {} : { key: keyOf(path) }), origin: originAt(root, path), text };
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, step) => (isContainer(inner) ? inner[step] : undefined), value);
}
