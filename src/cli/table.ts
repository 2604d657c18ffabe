import { visible, visibleJson } from '../lib/visible.ts';
import { bold, type Output } from './terminal.ts';
import { displayWidth, padTo, truncateTo, wrapWhole } from './text.ts';

const GAP = '  ';
const NARROWEST = 8;
/** Columns of a text that is wrapped beside the others, and its indentation below them. */
const LEAST_TEXT = 24;
const INDENT = 4;
// In a file nothing is shortened, but one long value must not fill every other row with spaces.
const WIDEST_PADDING = 40;

export type Row = Record<string, unknown>;

/**
 * Rows under their headings, at most as wide as the terminal. Columns without any value are omitted. With `wholeText`
 * the last column is wrapped and not shortened.
 */
export function table(
  columns: readonly string[],
  rows: readonly Row[],
  { width, colour }: Output,
  wholeText = false,
): string {
  const shown = columns.filter((column) => rows.some((row) => cell(row[column]) !== ''));
  const cells = rows.map((row) => shown.map((column) => cell(row[column])));
  const headings = shown.map((column) => label(column).toUpperCase());
  const natural = shown.map((_, index) =>
    Math.max(...[headings, ...cells].map((row) => displayWidth(row[index] ?? ''))),
  );
  const print = printer(shown, natural, width, wholeText);
  const [first = '', ...others] = [headings, ...cells].map(print);
  return [colour ? bold(first) : first, ...others].join('\n');
}

type Print = (cells: readonly string[]) => string;

function printer(
  columns: readonly string[],
  natural: readonly number[],
  width: number | undefined,
  wholeText: boolean,
): Print {
  if (width === undefined) {
    const widths = natural.map((each) => Math.min(each, WIDEST_PADDING));
    return (cells) => joined(cells, widths);
  }
  const widths = fit(columns, natural, width);
  if (wholeText && sum(natural) + GAP.length * (columns.length - 1) > width) {
    return withText(columns, natural, width, widths.at(-1) ?? 0);
  }
  return (cells) => truncateTo(width, joined(shortened(cells, widths), widths));
}

/** The text in its own column if that is wide enough, otherwise below the rest of its row. */
function withText(columns: readonly string[], natural: readonly number[], width: number, column: number): Print {
  const isBelow = column < LEAST_TEXT || columns.length === 1;
  const room = isBelow ? width : width - column - GAP.length;
  const widths = fit(columns.slice(0, -1), natural.slice(0, -1), room);
  const indent = isBelow ? INDENT : sum(widths) + GAP.length * widths.length;
  return (cells) => {
    const rest = truncateTo(room, joined(shortened(cells.slice(0, -1), widths), widths));
    const lines = wrapWhole(Math.max(1, width - indent), cells.at(-1) ?? '').map((line) => ' '.repeat(indent) + line);
    if (isBelow) return [rest, ...lines].filter((line) => line.trim() !== '').join('\n');
    const [first = '', ...others] = lines;
    return [`${padTo(indent, rest)}${first.slice(indent)}`.trimEnd(), ...others].join('\n');
  };
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

function joined(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((text, at) => padTo(widths[at] ?? 0, text))
    .join(GAP)
    .trimEnd();
}

function shortened(cells: readonly string[], widths: readonly number[]): string[] {
  return cells.map((text, at) => truncateTo(widths[at] ?? 0, text));
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
