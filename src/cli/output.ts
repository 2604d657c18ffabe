import { isRecord } from '../lib/is-record.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import type { CliList, Operation } from '../operation.ts';
import type { Schema } from './fields.ts';
import { cell, label, type Row, table } from './table.ts';
import { bold, type Output } from './terminal.ts';
import { displayWidth, padTo } from './text.ts';

/** The result of an operation, for people: the text it renders, or a table of its list, or its fields one by one. */
export function present(operation: Operation, output: Row, to: Output): string {
  const list = listOf(operation);
  if (list) return presentList(list, output, to);
  if (operation.render) return visibleLines(operation.render(output));
  return presentObject(output, to);
}

type List = Pick<CliList, 'key' | 'columns' | 'notes' | 'wholeText'>;

/** The result of an operation is a list if it has one array of objects, and otherwise only scalar values. */
function listOf(operation: Operation): List | undefined {
  const { properties = {} } = operation.output.toJSONSchema({ io: 'output', unrepresentable: 'any' }) as Schema;
  const compound = Object.entries(properties).filter(([, { type }]) => type === 'array' || type === 'object');
  const [only] = compound;
  if (!only || compound.length > 1) return undefined;
  const [key, { items }] = only;
  return items?.properties ? { key, columns: Object.keys(items.properties) } : undefined;
}

function presentList({ key, columns }: List, output: Row, to: Output): string {
  return presentRows({ key, columns, rows: rowsIn(output[key]) }, output, to);
}

/** A table of the list, and below it the other fields of the result. */
export function presentRows(
  { key, columns, notes, wholeText = false, rows }: List & { rows: readonly Row[] },
  { next_cursor: next, ...output }: Row,
  to: Output,
): string {
  const shown = rows.length === 0 ? `No ${label(key)}.` : table(columns, rows, to, wholeText);
  const more = next === undefined ? [] : [`There is more: add --cursor ${cell(next)}`];
  const below = notes ? notes(output).map(visible) : byName({ ...output, [key]: undefined });
  return [shown, ...below, ...more].join('\n');
}

function byName(output: Row): string[] {
  const single = Object.entries(output).filter(([, value]) => value !== undefined && !isTable(value));
  return single.map(([name, value]) => `${label(name)}: ${cell(value)}`);
}

/** Single values under each other, then a table for each list. */
function presentObject(output: Row, to: Output): string {
  const entries = Object.entries(output).flatMap(([key, value]) => flatten(key, value));
  const single = entries.filter(([, value]) => !isTable(value) && cell(value) !== '');
  const widest = Math.max(0, ...single.map(([key]) => displayWidth(label(key))));
  const block = single.map(([key, value]) => `${padTo(widest, label(key))}  ${cell(value)}`).join('\n');
  const tables = entries.flatMap(([key, value]) => (isTable(value) ? [section(key, rowsIn(value), to)] : []));
  return [...(block === '' ? [] : [block]), ...tables].join('\n\n');
}

function section(key: string, rows: readonly Row[], to: Output): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const heading = label(key);
  return `${to.colour ? bold(heading) : heading}\n${table(columns, rows, to)}`;
}

function flatten(key: string, value: unknown): [string, unknown][] {
  if (!isRecord(value)) return [[key, value]];
  return Object.entries(value).map(([inner, each]) => [`${key}.${inner}`, each]);
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((row) => typeof row === 'object' && row !== null);
}

function rowsIn(value: unknown): Row[] {
  return Array.isArray(value) ? value : [];
}
