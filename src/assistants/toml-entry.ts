import { type Statement, statementsOf } from './toml-statements.ts';
import { WrongShape } from './wrong-shape.ts';

export interface TomlEntry {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** The keys of our entry. A server with a URL is of another kind, so the URL is removed. */
const OUR_KEYS = ['command', 'args', 'url'];
const OUR_VARIABLES = ['SWITCHBOARD_HOME'];

type Path = readonly string[];

/** Writes a server to `[mcp_servers.<name>]`. Neither the other text nor other keys of that section change. */
export function setTomlEntry(text: string, name: string, entry: TomlEntry): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const place = ['mcp_servers', name];
  const statements = inTables(statementsOf(text));
  assertChangeable(statements, place);
  const changed = statements.some(isHeader(place))
    ? replace(statements, place, entry)
    : append(text, showTomlEntry(name, entry));
  return newline === '\n' ? changed : changed.replaceAll(/\r?\n/g, newline);
}

export function showTomlEntry(name: string, entry: TomlEntry): string {
  const place = `mcp_servers.${name}`;
  return `[${place}]\n${mainLines(entry)}${Object.keys(entry.env).length === 0 ? '' : `\n[${place}.env]\n${envLines(entry)}`}`;
}

interface Located extends Statement {
  /** The table that contains it. */
  table: Path;
}

function inTables(statements: readonly Statement[]): Located[] {
  let table: Path = [];
  return statements.map((statement) => {
    if (statement.kind === 'table' || statement.kind === 'tables') table = statement.path;
    return { ...statement, table };
  });
}

/** Other TOML notations of the same entry are left to the user who chose them. */
function assertChangeable(statements: readonly Located[], place: Path): void {
  const hasMain = statements.some(isHeader(place));
  const isUnusual = ({ kind, path, table }: Located): boolean => {
    const whole = kind === 'pair' ? [...table, ...path] : path;
    if (kind === 'nothing') return false;
    if (kind === 'table') return !hasMain && begins(path, place);
    if (kind === 'tables') return begins(place, path) || isSame(path, place);
    const isInlineEnv = isSame(table, place) && path[0] === 'env';
    return begins(place, whole) || isInlineEnv || (begins(whole, place) && !begins(table, place));
  };
  if (statements.some(isUnusual)) throw new WrongShape(place.join('.'));
}

function replace(statements: readonly Located[], place: Path, entry: TomlEntry): string {
  const envPlace = [...place, 'env'];
  const isOurs = ({ kind, path: [key = ''], table }: Located) =>
    kind === 'pair' &&
    ((isSame(table, place) && OUR_KEYS.includes(key)) || (isSame(table, envPlace) && OUR_VARIABLES.includes(key)));
  const kept = statements.filter((statement) => !isOurs(statement)).map((each) => ({ ...each, text: wholeLine(each) }));
  const main = kept.find(isHeader(place));
  const env = kept.find(isHeader(envPlace));
  if (main) main.text += mainLines(entry);
  if (env) env.text += envLines(entry);
  const last = kept.findLast(({ kind, table }) => kind !== 'nothing' && isSame(table, place));
  if (last && !env && Object.keys(entry.env).length > 0) {
    last.text += `\n[${envPlace.join('.')}]\n${envLines(entry)}`;
  }
  return kept.map(({ text }) => text).join('');
}

function isHeader(place: Path): (statement: Located) => boolean {
  return ({ kind, path }) => kind === 'table' && isSame(path, place);
}

function wholeLine({ text }: Statement): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function append(text: string, entry: string): string {
  if (text.trim() === '') return text + entry;
  return `${text}${text.endsWith('\n') ? '' : '\n'}\n${entry}`;
}

function mainLines({ command, args }: TomlEntry): string {
  return `command = ${quoted(command)}\nargs = [${args.map(quoted).join(', ')}]\n`;
}

function envLines({ env }: TomlEntry): string {
  return Object.entries(env)
    .map(([key, value]) => `${key} = ${quoted(value)}\n`)
    .join('');
}

/** A string of JSON is one of TOML too, but for one character. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && begins(one, other);
}

/** Whether a path begins with another. */
function begins(path: Path, beginning: Path): boolean {
  return beginning.every((part, index) => path[index] === part);
}
