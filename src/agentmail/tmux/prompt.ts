import type { MainPrompt } from './main-prompts.ts';
import { type Cell, cellsOf } from './screen.ts';

export interface Screen {
  /** `capture-pane -e -p` of the visible part. */
  capture: string;
  /** Where text is inserted, also while the program hides the cursor. */
  cursorX: number;
  cursorY: number;
}

/**
 * The state of the main prompt. `none`: it is not on the screen, which shows a dialog or something unknown. `busy`: it
 * is empty, but the program works.
 */
export type WakePrompt =
  | { kind: 'empty' }
  | { kind: 'busy' }
  /** `cursor`: the number of characters of `text` before the cursor. */
  | { kind: 'draft'; text: string; cursor: number }
  | { kind: 'none' };

const MAX_FIELD_ROWS = 40;
const BUSY_ROWS = 8;

/** Finds the main prompt on this screen: only where all that surrounds it is as the program draws it. */
export function promptOf(shape: MainPrompt, screen: Screen): WakePrompt {
  const rows = cellsOf(screen.capture);
  const lines = rows.map(lineOf);
  const field = fieldAt(shape, lines, screen.cursorY);
  if (!field) return { kind: 'none' };
  const typed = rows.slice(field.first, field.last + 1).map((cells) => cells.slice(field.start));
  const isAtStart = screen.cursorX === field.start && screen.cursorY === field.first;
  if (!isAtStart || typed.length > 1 || !isUntouched(shape, typed[0] ?? [])) return draftIn(typed, field, screen);
  if (!hasFooter(lines, field, shape.footerOfEmpty)) return { kind: 'none' };
  return { kind: isBusy(shape, lines, field) ? 'busy' : 'empty' };
}

function draftIn(typed: readonly (readonly Cell[])[], { first, start }: Field, screen: Screen): WakePrompt {
  const at = screen.cursorY - first;
  const above = typed.slice(0, at).map((cells) => `${draftOf(cells)}\n`);
  const before = (typed[at] ?? []).slice(0, Math.max(0, screen.cursorX - start));
  const text = typed.map(draftOf).join('\n').trimEnd();
  return { kind: 'draft', text, cursor: above.join('').length + textOf(before).length };
}

function isBusy({ busy, busyRows = BUSY_ROWS }: MainPrompt, lines: readonly string[], { first }: Field): boolean {
  return lines.slice(Math.max(0, first - busyRows)).some((line) => busy.test(line));
}

interface Field {
  /** Its first and last row. */
  first: number;
  last: number;
  /** The column at which the input begins. */
  start: number;
}

/** The input field with the cursor in it. */
function fieldAt(shape: MainPrompt, lines: readonly string[], cursorY: number): Field | undefined {
  const first = firstRowAt(shape, lines, cursorY);
  if (first === undefined) return undefined;
  const line = lines[first] ?? '';
  const start = line.length - line.trimStart().length + shape.inset;
  for (let last = first; last === first || isFurtherRow(shape, lines[last], start); last += 1) {
    const field = { first, last, start };
    if (last >= cursorY && isFollowed(shape, lines, field)) return field;
  }
  return undefined;
}

/** The nearest row with the mark, from the cursor upwards. */
function firstRowAt(shape: MainPrompt, lines: readonly string[], cursorY: number): number | undefined {
  for (let row = cursorY; row >= Math.max(0, cursorY - MAX_FIELD_ROWS); row -= 1) {
    if (shape.mark.test(lines[row] ?? '') && isPreceded(shape, lines, row)) return row;
  }
  return undefined;
}

/** Further rows are indented like the first one, with or without its sign. */
function isFurtherRow({ mark }: MainPrompt, line: string | undefined, start: number): boolean {
  return line !== undefined && (line.slice(0, start).trim() === '' || mark.test(line));
}

function isPreceded({ above }: MainPrompt, lines: readonly string[], first: number): boolean {
  return first >= above.length && above.every((pattern, at) => pattern.test(lines[first - 1 - at] ?? ''));
}

function isFollowed(shape: MainPrompt, lines: readonly string[], field: Field): boolean {
  const isFramed = shape.below.every((pattern, at) => pattern.test(lines[field.last + 1 + at] ?? 'missing'));
  return isFramed && hasFooter(lines, field, shape.footer, shape.below.length);
}

function hasFooter(lines: readonly string[], { last }: Field, footer: RegExp | undefined, skip = 0): boolean {
  return footer === undefined || lines.slice(last + 1 + skip).some((line) => footer.test(line));
}

function isUntouched({ placeholder }: MainPrompt, typed: readonly Cell[]): boolean {
  const text = textOf(typed).trim();
  if (text === '') return true;
  return placeholder.test(text) && typed.every((cell, at) => isFaint(cell) || (at === 0 && isUnderCursor(typed)));
}

/** The cell under a drawn cursor belongs to the placeholder too, though it is not faint. */
function isUnderCursor([first, ...others]: readonly Cell[]): boolean {
  return first?.isReversed === true && others.some(({ text }) => text.trim() !== '');
}

function isFaint({ text, isFaint }: Cell): boolean {
  return isFaint || text.trim() === '';
}

/** Without what a program suggests after it. */
function draftOf(cells: readonly Cell[]): string {
  const last = cells.findLastIndex((cell) => !isFaint(cell));
  return textOf(cells.slice(0, last + 1));
}

function lineOf(cells: readonly Cell[]): string {
  return textOf(cells).trimEnd();
}

function textOf(cells: readonly Cell[]): string {
  return cells
    .map(({ text }) => text)
    .join('')
    .replaceAll('\u00a0', ' ');
}
