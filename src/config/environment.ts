import { closest } from '../lib/did-you-mean.ts';
import type { ConfigModel } from './model.ts';
import type { Problem } from './problems.ts';
import { fieldsOf, keyOf, nameOf, schemaAt } from './schema-walk.ts';
import { type Given, type Mapping, put, type SettingOrigin, settingAt } from './settings-tree.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** The text of a file; nothing when there is none. Throws an AppError when it cannot be read. */
export type ReadText = (path: string) => string | undefined;

const PREFIX = 'SWITCHBOARD_';
const FILE = '_FILE';

/** They belong to other parts of the program. */
const NOT_CONFIGURATION = new Set(['HOME', 'API_TOKEN', 'PASSPHRASE', 'PASSPHRASE_FILE', 'SECRETS_PROVIDER']);

/** Alternative names of keys. A variable with the key's own name takes precedence. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  SWITCHBOARD_SERVER_NAME: ['server', 'name'],
  SWITCHBOARD_LOG_LEVEL: ['logging', 'level'],
  SWITCHBOARD_SERVER__LOG_LEVEL: ['logging', 'level'],
};
const DEBUG = 'SWITCHBOARD_SERVER_DEBUG';

interface Assignment {
  path: readonly string[];
  variable: string;
  text: string;
}

/** Applies the environment on top of the values in `root`. */
export function applyEnvironment(
  root: Mapping,
  model: ConfigModel,
  env: Environment,
  readText: ReadText,
): { problems: Problem[]; warnings: string[] } {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const aliases = { ...model.variables, ...ALIASES };
  const given = Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');

  function assign({ path, variable, text }: Assignment): void {
    const origin: SettingOrigin = { kind: 'variable', name: variable };
    const value: Given = { kind: 'scalar', value: text, untyped: true, origin };
    if (put(root, path, value)) return;
    problems.push({ key: keyOf(path), origin, text: 'a key above it holds something that is not a mapping' });
  }

  function ownAssignment(variable: string, text: string): Assignment[] {
    const name = variable.slice(PREFIX.length);
    const path = pathOf(name, root);
    if (isKnown(model, path)) return [{ path, variable, text }];
    const problem = (words: string) => problems.push({ origin: { kind: 'variable', name: variable }, text: words });
    const pathOfFile = name.endsWith(FILE) ? pathOf(name.slice(0, -FILE.length), root) : [];
    if (pathOfFile.length > 1 && isKnown(model, pathOfFile)) {
      if (env[variable.slice(0, -FILE.length)]) problem(`both it and the variable without ${FILE} are set`);
      const read = readValue(readText, text, problem);
      return read === undefined ? [] : [{ path: pathOfFile, variable, text: read }];
    }
    if (name.includes('__')) problem(`no key has this name${suggestion(model, path)}`);
    else warnings.push(`${nameOf(variable)} is not a variable of Switchboard${similar(model, variable)}`);
    return [];
  }

  if (isDebug(env[DEBUG], problems)) assign({ path: ['logging', 'level'], variable: DEBUG, text: 'debug' });
  for (const [variable, path] of Object.entries(aliases)) {
    const text = env[variable];
    if (text) assign({ path, variable, text });
  }
  given
    .filter(([variable]) => isOwn(variable))
    .flatMap(([variable, text]) => ownAssignment(variable, text))
    // A whole mapping is applied before a key in it.
    .sort((a, b) => a.path.length - b.path.length)
    .forEach(assign);
  return { problems, warnings };
}

/** The name of the variable that sets a key. */
export function variableOf(path: readonly string[]): string {
  return PREFIX + path.map((step) => step.toUpperCase().replaceAll('-', '_')).join('__');
}

function isOwn(variable: string): boolean {
  if (!variable.startsWith(PREFIX) || variable === DEBUG || Object.hasOwn(ALIASES, variable)) return false;
  return !NOT_CONFIGURATION.has(variable.slice(PREFIX.length));
}

function isKnown({ schema }: ConfigModel, path: readonly string[]): boolean {
  return schemaAt(schema, path) !== undefined;
}

/** Variables cannot hold a dash, so `MY_WORK` is also the entry `my-work` when the file has one. */
function pathOf(name: string, root: Mapping): string[] {
  const path = name.toLowerCase().split('__');
  const [section = '', id = ''] = path;
  const entries = settingAt(root, [section]);
  if (entries?.kind !== 'mapping' || entries.entries.has(id)) return path;
  const dashed = [...entries.entries.keys()].find((key) => key.replaceAll('-', '_') === id);
  return dashed === undefined ? path : [section, dashed, ...path.slice(2)];
}

function readValue(readText: ReadText, path: string, problem: (words: string) => void): string | undefined {
  const text = attempt(() => readText(path));
  if (text === undefined) problem('the file that it names is not there or cannot be read');
  return text?.replace(/\r?\n$/, '');
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function isDebug(text: string | undefined, problems: Problem[]): boolean {
  const flag = asBoolean(text || 'false');
  if (flag === undefined) problems.push({ origin: { kind: 'variable', name: DEBUG }, text: 'must be true or false' });
  return flag === true;
}

/** The spellings accepted in variables. */
export function asBoolean(text: string): boolean | undefined {
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  return /^(?:false|no|off|0)$/i.test(text) ? false : undefined;
}

/** The closest existing variable: the first unknown step is replaced. */
function suggestion(model: ConfigModel, path: readonly string[]): string {
  const known = path.findIndex((_, index) => !isKnown(model, path.slice(0, index + 1)));
  const parent = schemaAt(model.schema, path.slice(0, known));
  const meant = parent && closest(path[known] ?? '', fieldsOf(parent).keys());
  if (meant === undefined) return '';
  return `; did you mean ${nameOf(variableOf([...path.slice(0, known), meant, ...path.slice(known + 1)]))}?`;
}

/** One underscore instead of two is the usual slip. */
function similar({ schema: whole, variables }: ConfigModel, variable: string): string {
  const names = [...fieldsOf(whole)].flatMap(([section, schema]) =>
    [...fieldsOf(schema).keys()].map((key) => variableOf([section, key])),
  );
  const exact = names.find((name) => name.replaceAll('__', '_') === variable);
  const meant = exact ?? closest(variable, [...names, ...Object.keys({ ...variables, ...ALIASES })]);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
