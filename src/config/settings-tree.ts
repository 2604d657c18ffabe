import type { Path } from './schema-walk.ts';

/** The origin of a value. A value without an origin is a default. */
export type SettingOrigin =
  /** `indirect`: the file only names a variable that has the value. */
  | { kind: 'file'; file: string; line: number; column: number; indirect?: true }
  | { kind: 'variable'; name: string }
  | { kind: 'flag'; name: string };

/** No configuration nests deeper; what does is an attack or a slip. */
export const DEEPEST = 20;

export type Scalar = string | number | boolean | null;

/** A configured value with the position of each part. */
export type Setting = Given | List | Mapping;

export interface Given {
  kind: 'scalar';
  value: Scalar;
  /** Given as text; the schema decides the type. */
  untyped: boolean;
  origin: SettingOrigin;
}

interface List {
  kind: 'list';
  items: Setting[];
  origin: SettingOrigin;
}

export interface Mapping {
  kind: 'mapping';
  entries: Map<string, Setting>;
  origin: SettingOrigin;
}

export function mapping(origin: SettingOrigin): Mapping {
  return { kind: 'mapping', entries: new Map(), origin };
}

export function fromJson(value: unknown, origin: SettingOrigin, depth = 0): Setting {
  if (depth > DEEPEST) throw new RangeError('nested too deeply');
  const child = (inner: unknown) => fromJson(inner, origin, depth + 1);
  if (Array.isArray(value)) return { kind: 'list', items: value.map(child), origin };
  if (typeof value === 'object' && value !== null) {
    return { kind: 'mapping', entries: new Map(Object.entries(value).map(([key, v]) => [key, child(v)])), origin };
  }
  return { kind: 'scalar', value: value as Scalar, untyped: false, origin };
}

/** The plain value. An empty value counts as not set, but its key is still checked. */
export function plain(setting: Setting): unknown {
  switch (setting.kind) {
    case 'scalar':
      return isEmpty(setting) ? undefined : setting.value;
    case 'list':
      return setting.items.map(plain);
    case 'mapping':
      return Object.fromEntries([...setting.entries].map(([key, child]) => [key, plain(child)]));
  }
}

export function isEmpty(setting: Setting): boolean {
  return setting.kind === 'scalar' && (setting.value === null || setting.value === '');
}

export function settingAt(setting: Setting, path: Path): Setting | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return setting;
  const next = childAt(setting, step);
  return next && settingAt(next, rest);
}

/** Where the value at `path` was set or, if it is missing, the position of its parent. */
export function originAt(setting: Setting, path: Path): SettingOrigin {
  const [step, ...rest] = path;
  const next = step === undefined ? undefined : childAt(setting, step);
  return next ? originAt(next, rest) : setting.origin;
}

/** Puts a value in. Says no when a part of the path holds something that is not a mapping. */
export function put(root: Mapping, path: readonly string[], value: Setting): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return false;
  if (rest.length === 0) {
    root.entries.set(key, value);
    return true;
  }
  const next = asMapping(root.entries.get(key), value.origin);
  if (!next) return false;
  root.entries.set(key, next);
  return put(next, rest, value);
}

export function remove(root: Mapping, path: readonly string[]): Setting | undefined {
  const last = path.at(-1);
  const parent = settingAt(root, path.slice(0, -1));
  if (last === undefined || parent?.kind !== 'mapping') return undefined;
  const found = parent.entries.get(last);
  parent.entries.delete(last);
  return found;
}

/** Every configured value, with its position. */
export function* givenValues(setting: Setting, path: Path = []): Generator<[path: Path, given: Setting]> {
  yield [path, setting];
  if (setting.kind === 'list') {
    for (const [index, item] of setting.items.entries()) yield* givenValues(item, [...path, index]);
  } else if (setting.kind === 'mapping') {
    for (const [key, child] of setting.entries) yield* givenValues(child, [...path, key]);
  }
}

function childAt(setting: Setting, step: string | number): Setting | undefined {
  if (setting.kind === 'list') return typeof step === 'number' ? setting.items[step] : undefined;
  return setting.kind === 'mapping' ? setting.entries.get(String(step)) : undefined;
}

function asMapping(setting: Setting | undefined, origin: SettingOrigin): Mapping | undefined {
  if (setting === undefined || isEmpty(setting)) return mapping(origin);
  if (setting.kind === 'scalar' && setting.untyped) return asMapping(parsed(setting), origin);
  return setting.kind === 'mapping' ? setting : undefined;
}

/** A variable may hold a whole mapping or list, as JSON. */
export function parsed(setting: Given): Setting {
  try {
    return fromJson(JSON.parse(String(setting.value)), setting.origin);
  } catch {
    return { ...setting, untyped: false };
  }
}
