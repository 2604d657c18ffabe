import type { Fail, Place } from './failure.ts';
import { OPERATORS, type Operator, own } from './operators.ts';

export type QueryToken = Place &
  (
    | { kind: 'OR' | 'AND' | 'NOT' | 'close' }
    /** `operator` is set for `from:(`. */
    | { kind: 'open'; operator?: Operator }
    | { kind: 'text'; text: string; isQuoted: boolean; operator?: Operator }
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
  let depth = 0;
  let at = 0;
  for (;;) {
    while (at < text.length && SPACE.test(text[at] ?? '')) at += 1;
    if (at >= text.length) return tokens;
    const token = next(text, at, depth, fail);
    if (token.kind === 'open') depth += 1;
    if (token.kind === 'close') depth -= 1;
    tokens.push(token);
    at = token.end;
  }
}

function next(text: string, start: number, depth: number, fail: Fail): QueryToken {
  const sign = text[start];
  const end = start + 1;
  if (sign === '(') return { kind: 'open', start, end };
  if (sign === ')' && depth > 0) return { kind: 'close', start, end };
  if (sign === ')') return fail('A closing parenthesis has no opening one', { start, end }, 'maybe-text');
  if (sign === '-' && /[^\s\-)]/.test(text[end] ?? ' ')) return { kind: 'NOT', start, end };
  return connective(text, start) ?? withOperator(text, start, depth, fail) ?? value(text, start, depth, fail);
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

function withOperator(text: string, start: number, depth: number, fail: Fail): QueryToken | undefined {
  OPERATOR.lastIndex = start;
  const name = OPERATOR.exec(text)?.[0].slice(0, -1) ?? '';
  const operator = own(OPERATORS, name.toLowerCase());
  if (operator === undefined) return undefined;
  const end = start + name.length + 1;
  if (text[end] === '(') return { kind: 'open', operator, start, end: end + 1 };
  if (/[\s)]/.test(text[end] ?? ' ')) {
    return fail(`${name}: needs a value right after the colon`, { start, end }, 'maybe-text');
  }
  return { ...value(text, end, depth, fail), operator, start };
}

type TextToken = Extract<QueryToken, { kind: 'text' }>;

function value(text: string, start: number, depth: number, fail: Fail): TextToken {
  return QUOTE.test(text[start] ?? '') ? quoted(text, start, fail) : word(text, start, depth, fail);
}

function quoted(text: string, start: number, fail: Fail): TextToken {
  const length = text.slice(start + 1).search(text[start] === '"' ? /"/ : /[“”]/);
  if (length === -1) return fail('A quotation mark is never closed', { start, end: start + 1 });
  const end = start + length + 2;
  const inner = text.slice(start + 1, end - 1).trim();
  if (inner === '') return fail('There is nothing between the quotation marks', { start, end });
  return { kind: 'text', text: inner, isQuoted: true, start, end };
}

/** Up to a space. A parenthesis that was opened within the word belongs to it; another one closes the group. */
function word(text: string, start: number, depth: number, fail: Fail): TextToken {
  let end = start;
  let inner = 0;
  for (; end < text.length && !SPACE.test(text[end] ?? ''); end++) {
    if (text[end] === '(') inner += 1;
    if (text[end] !== ')') continue;
    if (inner === 0 && depth > 0) break;
    if (inner === 0 && SPACE.test(text[end + 1] ?? ' ') && isWord(text.slice(start, end))) {
      return fail('A closing parenthesis has no opening one', { start: end, end: end + 1 }, 'maybe-text');
    }
    inner = Math.max(0, inner - 1);
  }
  return { kind: 'text', text: text.slice(start, end), isQuoted: false, start, end };
}

/** A smiley is none. */
function isWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
