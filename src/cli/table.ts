import { visible, visibleJson } from '../lib/visible.ts';
import { bold, type Output } from './terminal.ts';
import { displayWidth, padTo, truncateTo } from './text.ts';

const GAP = '  ';
const NARROWEST = 8;
// In a file nothing is shortened, but one long value must not fill every other row with spaces.
const WIDEST_PADDING = 40;

export type Row = Record<string, unknown>;

/** Rows under their headings, at most as wide as the terminal. Columns without any value are omitted. */
export function table(columns: readonly string[], rows: readonly Row[], { width, colour }: Output): string {
  const shown = columns.filter((column) => rows.some((row) => cell(row[column]) !== ''));
  const cells = rows.map((row) => shown.map((column) => cell(row[column])));
  const headings = shown.map((column) => label(column).toUpperCase());
  const natural = shown.map((_, index) =>
    Math.max(...[headings, ...cells].map((row) => displayWidth(row[index] ?? ''))),
  );
  const widths =
    width === undefined ? natural.map((each) => Math.min(each, WIDEST_PADDING)) : fit(shown, natural, width);
  const [first = '', ...others] = [headings, ...cells].map((row) => line(row, widths, width));
  return [colour ? bold(first) : first, ...others].join('\n');
}

/** Names of fields in readable form: `created_at` is "created at". */
export function label(name: string): string {
  return name.replaceAll(/[._]/g, ' ');
}

/** An untrusted value on one line. Several spaces would look like the gap before the next column. */
export function cell(value: unknown): string {
  return shown(value).replace(/\p{Zs}{2,}/gu, ' ');
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return visible(String(value));
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return visibleJson(value);
}

function line(cells: readonly string[], widths: readonly number[], width: number | undefined): string {
  const join = (texts: readonly string[]) =>
    texts
      .map((text, at) => padTo(widths[at] ?? 0, text))
      .join(GAP)
      .trimEnd();
  if (width === undefined) return join(cells);
  return truncateTo(width, join(cells.map((text, at) => truncateTo(widths[at] ?? 0, text))));
}

/** Shortens the widest columns first, and never ids: half an id is useless. */
function fit(columns: readonly string[], natural: readonly number[], width: number): number[] {
  const widths = natural.map((each) => Math.min(each, width));
  const room = width - GAP.length * (columns.length - 1);
  for (let over = sum(widths) - room; over > 0; over = sum(widths) - room) {
    const widest = Math.max(NARROWEST, ...widths.filter((_, index) => !isId(columns[index] ?? '')));
    const index = widths.findIndex((each, at) => each === widest && !isId(columns[at] ?? ''));
    if (index === -1 || widest === NARROWEST) break;
    widths[index] = widest - 1;
  }
  return widths;
}

function isId(column: string): boolean {
  return column === 'id' || column.endsWith('_id');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
