import type { Fail, Place } from './failure.ts';
import { OPERATORS, type Operator, own } from './operators.ts';

export type QueryToken = Place &
  (
    | { kind: 'OR' | 'AND' | 'NOT' | 'close' }
    /** `operator` is set for `from:(`. */
    | { kind: 'open'; operator?: Operator }
    /** `open`: how many parentheses are open after a word. */
    | { kind: 'text'; text: string; isQuoted: boolean; operator?: Operator; open?: number }
  );

/** Typographic quotes are what telephones type. */
const QUOTE = /["“”„]/;
const SPACE = /\s/;

/**
 * Splits a query. A sign has its meaning only where a term begins: the parentheses of `main()`, the hyphen of `re-read`
 * and the quote of `5"` are text. What begins like an operator and is none, such as `http://`, is text too.
 */
export function splitQuery(text: string, fail: Fail): QueryToken[] {
  const tokens: QueryToken[] = [];
  // Of the query itself and of each open group: how many parentheses of words are open, as in `f(a, b)`.
  const open = [0];
  let at = 0;
  for (;;) {
    while (at < text.length && SPACE.test(text[at] ?? '')) at += 1;
    if (at >= text.length) return tokens;
    const token = next({ text, fail, isGroup: open.length > 1, open: open.at(-1) ?? 0 }, at);
    if (token.kind === 'open') open.push(0);
    if (token.kind === 'close') open.pop();
    if (token.kind === 'text' && token.open !== undefined) open.splice(-1, 1, token.open);
    tokens.push(token);
    at = token.end;
  }
}

/** Where a token is read. */
interface Surroundings {
  text: string;
  fail: Fail;
  isGroup: boolean;
  open: number;
}

function next(around: Surroundings, start: number): QueryToken {
  const { text, fail, isGroup } = around;
  const sign = text[start];
  const end = start + 1;
  if (sign === '(') return { kind: 'open', start, end };
  if (sign === ')' && isGroup) return { kind: 'close', start, end };
  if (sign === '-' && /[^\s\-)]/.test(text[end] ?? ' ')) return { kind: 'NOT', start, end };
  if (sign === ')' && around.open === 0) {
    return fail('A closing parenthesis has no opening one', { start, end }, 'maybe-text');
  }
  return connective(text, start) ?? withOperator(around, start) ?? value(around, start);
}

function connective(text: string, start: number): QueryToken | undefined {
  for (const kind of ['OR', 'AND', 'NOT'] as const) {
    const end = start + kind.length;
    if (text.startsWith(kind, start) && /[\s)]/.test(text[end] ?? ' ')) return { kind, start, end };
  }
  return undefined;
}

/** The longest name has ten letters. */
const OPERATOR = /[a-z_]{2,10}:/iy;

function withOperator(around: Surroundings, start: number): QueryToken | undefined {
  const { text, fail } = around;
  OPERATOR.lastIndex = start;
  const name = OPERATOR.exec(text)?.[0].slice(0, -1) ?? '';
  const operator = own(OPERATORS, name.toLowerCase());
  if (operator === undefined) return undefined;
  const end = start + name.length + 1;
  if (text[end] === '(') return { kind: 'open', operator, start, end: end + 1 };
  if (/[\s)]/.test(text[end] ?? ' ')) {
    return fail(`${name}: needs a value right after the colon`, { start, end }, 'maybe-text');
  }
  return { ...value(around, end), operator, start };
}

type TextToken = Extract<QueryToken, { kind: 'text' }>;

function value(around: Surroundings, start: number): TextToken {
  return QUOTE.test(around.text[start] ?? '') ? quoted(around, start) : word(around, start);
}

function quoted({ text, fail }: Surroundings, start: number): TextToken {
  const length = text.slice(start + 1).search(text[start] === '"' ? /"/ : /[“”]/);
  if (length === -1) return fail('A quotation mark is never closed', { start, end: start + 1 });
  const end = start + length + 2;
  const inner = text.slice(start + 1, end - 1).trim();
  if (inner === '') return fail('There is nothing between the quotation marks', { start, end });
  return { kind: 'text', text: inner, isQuoted: true, start, end };
}

/** Up to a space. A parenthesis that was opened within a word belongs to it; another one closes the group. */
function word({ text, fail, isGroup, ...around }: Surroundings, start: number): TextToken {
  let { open } = around;
  let end = start;
  for (; end < text.length && !SPACE.test(text[end] ?? ''); end++) {
    if (text[end] === '(') open += 1;
    if (text[end] !== ')') continue;
    if (open === 0 && isGroup) break;
    if (open === 0 && SPACE.test(text[end + 1] ?? ' ') && isWord(text.slice(start, end))) {
      return fail('A closing parenthesis has no opening one', { start: end, end: end + 1 }, 'maybe-text');
    }
    open = Math.max(0, open - 1);
  }
  return { kind: 'text', text: text.slice(start, end), isQuoted: false, open, start, end };
}

/** A smiley is none. */
function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
