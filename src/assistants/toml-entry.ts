import type { Launch } from './launch.ts';
import { type Statement, statementsOf } from './toml-statements.ts';
import { WrongShape } from './wrong-shape.ts';

/** Keys that say how the server is reached: those of the other kind are removed, because Codex refuses both together. */
const OUR_KEYS = ['command', 'args', 'url', 'bearer_token_env_var'];
const TABLE_OF = { stdio: 'env', http: 'http_headers' } as const;
/** A variable that we write only where the home is not the usual one. */
const OURS = { SWITCHBOARD_HOME: '' };

type Path = readonly string[];

/** Writes a server to `[mcp_servers.<name>]`. Neither the other text nor other keys of that section change. */
export function setTomlEntry(text: string, name: string, entry: Launch): string {
  const newline = newlineOf(text);
  const place = ['mcp_servers', name];
  const statements = inTables(statementsOf(text));
  assertChangeable(statements, place);
  const changed = statements.some(isHeader(place))
    ? replace(statements, place, entry)
    : appendTomlEntry(text, showTomlEntry(name, entry));
  return newline === '\n' ? changed : changed.replaceAll(/\r?\n/g, newline);
}

export function showTomlEntry(name: string, entry: Launch): string {
  const place = ['mcp_servers', name];
  return `[${place.join('.')}]\n${mainLines(entry)}${tableText(place, entry)}`;
}

/** Takes the server out, with the blank line before it where it is the last in the file. */
export function removeTomlEntry(text: string, name: string): string {
  const place = ['mcp_servers', name];
  const statements = inTables(statementsOf(text));
  assertChangeable(statements, place);
  if (!statements.some(isHeader(place))) return text;
  const isOurs = statements.map(
    ({ kind, table }, at) => begins(table, place) && (kind !== 'nothing' || !isTrailing(statements, at)),
  );
  const kept = statements.filter((_, at) => !isOurs[at]);
  const isLast = statements.slice(isOurs.lastIndexOf(true) + 1).every((each) => each.text.trim() === '');
  const rest = kept.map((each) => each.text).join('');
  return isLast ? rest.replace(/\r?\n(?:\r?\n)+$/, (ends) => (ends.startsWith('\r') ? '\r\n' : '\n')) : rest;
}

/** The text of the server as it is in the file; undefined if it is not there. */
export function tomlEntry(text: string, name: string): string | undefined {
  const place = ['mcp_servers', name];
  const own = inTables(statementsOf(text)).filter(({ table }) => begins(table, place));
  return own.length === 0 ? undefined : own.map((each) => each.text).join('');
}

/** A comment or a blank line after the last statement of a table; it is about what follows. */
function isTrailing(statements: readonly Located[], at: number): boolean {
  const { table } = statements[at] ?? { table: [] };
  const end = statements.findIndex((each, index) => index > at && (each.kind === 'table' || each.kind === 'tables'));
  const following = statements.slice(at, end === -1 ? undefined : end);
  const isNextOurs = end !== -1 && begins(statements[end]?.table ?? [], table.slice(0, 2));
  return !isNextOurs && following.every(({ kind }) => kind === 'nothing');
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
    const isInlineEnv = isSame(table, place) && Object.values(TABLE_OF).some((inner) => inner === path[0]);
    return begins(place, whole) || isInlineEnv || (begins(whole, place) && !begins(table, place));
  };
  if (statements.some(isUnusual)) throw new WrongShape(place.join('.'));
}

function replace(statements: readonly Located[], place: Path, entry: Launch): string {
  const tablePlace = [...place, TABLE_OF[entry.kind]];
  const otherPlace = [...place, TABLE_OF[entry.kind === 'stdio' ? 'http' : 'stdio']];
  const isOurs = ({ kind, path: [key = ''], table }: Located) =>
    isSame(table, otherPlace) ||
    (kind === 'pair' &&
      ((isSame(table, place) && OUR_KEYS.includes(key)) ||
        (isSame(table, tablePlace) && Object.hasOwn({ ...OURS, ...valuesOf(entry) }, key))));
  const isGapBefore = (at: number) =>
    statements[at]?.text.trim() === '' && statements.slice(at + 1, at + 2).some(isHeader(otherPlace));
  const kept = statements
    .filter((statement, at) => !isOurs(statement) && !isGapBefore(at))
    .map((each) => ({ ...each, text: wholeLine(each) }));
  const main = kept.find(isHeader(place));
  const table = kept.find(isHeader(tablePlace));
  if (main) main.text += mainLines(entry);
  if (table) table.text += valueLines(entry);
  const last = kept.findLast(({ kind, table: at }) => kind !== 'nothing' && isSame(at, place));
  if (last && !table) last.text += tableText(place, entry);
  return kept.map(({ text }) => text).join('');
}

function isHeader(place: Path): (statement: Located) => boolean {
  return ({ kind, path }) => kind === 'table' && isSame(path, place);
}

function wholeLine({ text }: Statement): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

export function appendTomlEntry(text: string, entry: string): string {
  if (text.trim() === '') return text + entry;
  const newline = newlineOf(text);
  return `${text}${text.endsWith('\n') ? '' : newline}${newline}${entry}`;
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function mainLines(entry: Launch): string {
  if (entry.kind === 'http') return `url = ${quoted(entry.url)}\n`;
  return `command = ${quoted(entry.command)}\nargs = [${entry.args.map(quoted).join(', ')}]\n`;
}

function tableText(place: Path, entry: Launch): string {
  if (Object.keys(valuesOf(entry)).length === 0) return '';
  return `\n[${[...place, TABLE_OF[entry.kind]].join('.')}]\n${valueLines(entry)}`;
}

function valuesOf(entry: Launch): Readonly<Record<string, string>> {
  return entry.kind === 'stdio' ? entry.env : entry.headers;
}

function valueLines(entry: Launch): string {
  return Object.entries(valuesOf(entry))
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
