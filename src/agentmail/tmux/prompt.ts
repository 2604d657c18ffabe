import { type Cell, cellsOf } from './screen.ts';

export interface Screen {
  /** `capture-pane -e -p` of the visible part. */
  capture: string;
  cursorX: number;
  cursorY: number;
  isCursorVisible: boolean;
}

/**
 * The state of the input field. `bare`: an empty line without a prompt mark, which a program without a prompt has
 * too. `none`: no input field is visible.
 */
export type WakePrompt = { kind: 'empty' } | { kind: 'bare' } | { kind: 'draft'; text: string } | { kind: 'none' };

/** Without `!`, `#`, `$` and `%`: these are prompts for commands. */
const MARK = /^(?:[>❯›»▶⟩→]|[a-z]{1,12}>)$/u;
const BORDER = /^[│┃║|▌▐█╎╏┆┊┋]$/u;
const RULE = /^(?=.*[─━═▀▄▁▔╌┄┈╭╮╰╯┌┐└┘╹╻])[\s│┃╭╮╰╯┌┐└┘├┤╔╗╚╝╹╻╸╺─━═▀▄▁▔╌┄┈]+$/u;

/** Finds the input field on this screen, and whether it contains a draft. */
export function promptOf(screen: Screen): WakePrompt {
  const rows = cellsOf(screen.capture);
  const atCursor = screen.isCursorVisible ? fieldIn(rows[screen.cursorY] ?? [], screen.cursorX) : undefined;
  if (atCursor) return judged(rows, screen.cursorY, atCursor, screen.cursorX);
  // Many programs hide the terminal's cursor and draw their own: then the lowest prompt counts.
  if (!screen.isCursorVisible) {
    const row = rows.findLastIndex((cells) => fieldIn(cells) !== undefined);
    const field = fieldIn(rows[row] ?? []);
    return field ? judged(rows, row, field) : { kind: 'none' };
  }
  return screen.cursorX === 0 && isBlank(rows[screen.cursorY] ?? []) && isLast(rows, screen.cursorY)
    ? { kind: 'bare' }
    : { kind: 'none' };
}

type Rows = readonly (readonly Cell[])[];

interface Field {
  /** The column at which typing begins. */
  start: number;
  /** One past the last column. */
  end: number;
  hasMark: boolean;
}

/** The input part of a row: after its mark, within its borders. */
function fieldIn(cells: readonly Cell[], cursorX?: number): Field | undefined {
  const first = cells.findIndex(({ text }) => text.trim() !== '');
  if (first < 0) return undefined;
  const hasBorder = BORDER.test(cells[first]?.text ?? '');
  const begin = hasBorder ? skipBlanks(cells, first + 1) : first;
  const lastText = cells.findLastIndex(({ text }) => text.trim() !== '');
  const end = lastText > first && BORDER.test(cells[lastText]?.text ?? '') ? lastText : cells.length;
  const mark = wordAt(cells, begin, end);
  if (MARK.test(mark)) return { start: Math.min(begin + mark.length + 1, end), end, hasMark: true };
  // A field that has only a border counts if the cursor is at its beginning.
  const inset = cursorX === undefined ? -1 : cursorX - first;
  return hasBorder && inset >= 1 && inset <= 3 ? { start: cursorX ?? end, end, hasMark: false } : undefined;
}

function judged(rows: Rows, row: number, { start, end, hasMark }: Field, cursorX?: number): WakePrompt {
  const typed = (rows[row] ?? []).slice(start, end);
  const below = continuation(rows.slice(row + 1));
  // Without a mark this may be a later line of a draft.
  const above = hasMark ? [] : continuation(rows.slice(0, row).reverse()).reverse();
  const cursor = cursorX === undefined ? typed.findIndex(({ isReversed }) => isReversed) : cursorX - start;
  const isUntouched = cursor <= 0 && (typed.every(isNobodys) || isPlaceholder(typed, cursor));
  if (isUntouched && [...above, ...below].every((cells) => cells.every(isNobodys))) return { kind: 'empty' };
  return { kind: 'draft', text: [...above, typed, ...below].map(textOf).join('\n').trimEnd() };
}

/** The cell under a drawn cursor belongs to the placeholder too, though it is not faint. */
function isPlaceholder([first, ...others]: readonly Cell[], cursor: number): boolean {
  return cursor === 0 && first?.isReversed === true && others.every(isNobodys) && !isBlank(others);
}

/** Further lines of the same field: up to the rule or blank line that ends it. */
function continuation(rows: Rows): Cell[][] {
  const lines: Cell[][] = [];
  for (const cells of rows) {
    const text = textOf(cells);
    if (text === '' || RULE.test(text)) break;
    lines.push(inner(cells));
  }
  return lines;
}

/** Without its borders. */
function inner(cells: readonly Cell[]): Cell[] {
  return cells.filter(({ text }) => !BORDER.test(text));
}

function isNobodys(cell: Cell | undefined): boolean {
  return cell === undefined || cell.text.trim() === '' || cell.isFaint;
}

function isBlank(cells: readonly Cell[]): boolean {
  return cells.every(({ text }) => text.trim() === '');
}

function isLast(rows: Rows, row: number): boolean {
  return rows.slice(row + 1).every(isBlank);
}

function textOf(cells: readonly Cell[]): string {
  return cells
    .map(({ text }) => text)
    .join('')
    .trim();
}

function skipBlanks(cells: readonly Cell[], from: number): number {
  let at = from;
  while (at < cells.length && cells[at]?.text.trim() === '') at += 1;
  return at;
}

function wordAt(cells: readonly Cell[], from: number, end: number): string {
  let word = '';
  for (let at = from; at < end && cells[at]?.text.trim() !== ''; at += 1) word += cells[at]?.text ?? '';
  return word;
}
