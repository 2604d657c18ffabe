import { visible } from '../lib/visible.ts';

/** Characters with which a formula begins in a spreadsheet; some accept the full-width forms too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Comma-separated values as of RFC 4180, with a header; safe to open in a spreadsheet and to print on a terminal. */
export function csv(
  columns: readonly string[],
  rows: readonly Record<string, unknown>[],
  { header }: { header: boolean },
): string {
  const lines = rows.map((row) => columns.map((column) => field(row[column])).join(','));
  return [...(header ? [columns.join(',')] : []), ...lines].map((line) => `${line}\r\n`).join('');
}

function field(value: unknown): string {
  const text = harmless(textOf(value));
  // The apostrophe is what spreadsheets themselves write before text that looks like a formula.
  const guarded = FORMULA.test(text) ? `'${text}` : text;
  return guarded === text && !/[",\r\n]|^\s|\s$/.test(text) ? text : `"${guarded.replaceAll('"', '""')}"`;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Line breaks and tabs belong to a field; other controls do not. */
function harmless(text: string): string {
  return text.replace(/[^\r\n\t]+/g, visible);
}
