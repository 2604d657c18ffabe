import { type Fail, failureIn } from './failure.ts';
import { type Operator, termOf } from './operators.ts';
import { allOf, anyOf, not, type SearchQuery } from './query.ts';
import { type QueryToken, splitQuery } from './tokens.ts';

const MAX_LENGTH = 4_000;
const MAX_TERMS = 500;
const MAX_DEPTH = 20;
/** Some of them look up names, which takes longer than words. */
const MAX_OPERATORS = 50;

export interface ParseOptions {
  /** What `7d` and `yesterday` are relative to. */
  now: number;
  /** The input field, for errors. */
  field?: string;
  /** The code of a failed input check in the operation's capability. */
  code?: 'INVALID_PARAMETER' | 'VALIDATION_ERROR';
}

/**
 * Parses a query as people type it: words, `"phrases"`, `-not`, `OR`, parentheses and operators such as `from:alice`. Throws
 * AppError, which shows the wrong part of the text, and nothing else.
 */
export function parseQuery(text: string, options: ParseOptions): SearchQuery {
  const { now, field = 'query', code = 'INVALID_PARAMETER' } = options;
  const fail = failureIn(text, field, code);
  if (text.length > MAX_LENGTH) {
    fail(`It is longer than ${MAX_LENGTH} characters`, { start: MAX_LENGTH, end: MAX_LENGTH + 1 });
  }
  const tokens = splitQuery(text, fail);
  const tooMany = tokens.filter(({ kind }) => kind === 'text')[MAX_TERMS];
  if (tooMany) fail(`It has more than ${MAX_TERMS} terms`, tooMany);
  return createParser(tokens, text.length, now, fail)();
}

/**
 * Recursive descent. `OR` takes the terms beside it: `a b OR c` is a, and b or c, as search engines have it. An explicit
 * `AND` binds tighter.
 */
function createParser(tokens: readonly QueryToken[], length: number, now: number, fail: Fail): () => SearchQuery {
  let position = 0;
  let depth = 0;
  let operators = 0;
  /** Set within `from:(…)`. */
  let operator: Operator | undefined;

  const peek = () => tokens[position];

  function take(kind: QueryToken['kind']): QueryToken | undefined {
    const token = peek();
    if (token?.kind !== kind) return undefined;
    position += 1;
    return token;
  }

  /** Everything up to the end, or to the parenthesis that closes the group. */
  function sequence(opened?: QueryToken): SearchQuery {
    const members: SearchQuery[] = [];
    while (peek() && peek()?.kind !== 'close') members.push(alternatives());
    const [first, ...others] = members;
    if (first) return allOf([first, ...others]);
    if (opened) return fail('There is nothing between the parentheses', opened, 'maybe-text');
    return fail('There is nothing to search for', { start: 0, end: length });
  }

  function alternatives(): SearchQuery {
    return anyOf(separatedBy('OR', conjunction));
  }

  function conjunction(after?: QueryToken): SearchQuery {
    return allOf(separatedBy('AND', negatable, after));
  }

  function separatedBy(
    kind: 'OR' | 'AND',
    parse: (after?: QueryToken) => SearchQuery,
    after?: QueryToken,
  ): [SearchQuery, ...SearchQuery[]] {
    const found: [SearchQuery, ...SearchQuery[]] = [parse(after)];
    for (let token = take(kind); token; token = take(kind)) found.push(parse(token));
    return found;
  }

  function negatable(after?: QueryToken): SearchQuery {
    let isNegated = false;
    let last = after;
    for (let token = take('NOT'); token; token = take('NOT')) {
      isNegated = !isNegated;
      last = token;
    }
    const found = term(last);
    return isNegated ? not(found) : found;
  }

  function term(after: QueryToken | undefined): SearchQuery {
    const token = peek();
    if (token?.kind === 'OR' || token?.kind === 'AND') {
      return fail(`${token.kind} needs a term on both sides`, token, 'maybe-text');
    }
    position += 1;
    if (token?.kind === 'open') return group(token);
    if (token?.kind === 'text') return toTerm(token);
    // Only after a connective: otherwise no term would be expected here.
    return fail(`${after?.kind} needs a term after it`, after ?? { start: 0, end: length }, 'maybe-text');
  }

  function group(opened: Extract<QueryToken, { kind: 'open' }>): SearchQuery {
    depth += 1;
    if (depth > MAX_DEPTH) fail(`Parentheses are nested more than ${MAX_DEPTH} deep`, opened);
    if (opened.operator && operator) fail(`An operator cannot be within ${operator}:(…)`, opened);
    const outer = operator;
    operator = opened.operator ?? outer;
    const found = sequence(opened);
    if (!take('close')) fail('A parenthesis is never closed', opened, 'maybe-text');
    operator = outer;
    depth -= 1;
    return found;
  }

  function toTerm(token: Extract<QueryToken, { kind: 'text' }>): SearchQuery {
    if (token.operator && operator) fail(`An operator cannot be within ${operator}:(…)`, token);
    const by = token.operator ?? operator;
    if (by === undefined) return { kind: token.isQuoted ? 'phrase' : 'word', text: token.text };
    operators += 1;
    if (operators > MAX_OPERATORS) fail(`It has more than ${MAX_OPERATORS} operators`, token);
    const found = termOf(by, token.text, now);
    return 'problem' in found ? fail(`The value of ${by}: ${found.problem}`, token, 'maybe-text') : found;
  }

  return () => sequence();
}
