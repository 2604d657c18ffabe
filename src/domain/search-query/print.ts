import type { SearchQuery, SearchTerm } from './query.ts';

/** How tightly the surroundings of a part bind it, from a whole query to the operand of a negation. */
type Binding = 'query' | 'member' | 'alternative' | 'operand';

/** The query as text, which is parsed to the same query again. Parentheses only where they are needed. */
export function printQuery(query: SearchQuery, binding: Binding = 'query'): string {
  const joined = (of: readonly SearchQuery[], inner: Binding, by: string) =>
    of.map((each) => printQuery(each, inner)).join(by);
  switch (query.kind) {
    case 'all':
      if (binding === 'operand') return group(printQuery(query));
      return binding === 'query' ? joined(query.of, 'member', ' ') : joined(query.of, 'operand', ' AND ');
    case 'any':
      if (binding === 'alternative' || binding === 'operand') return group(printQuery(query));
      return joined(query.of, 'alternative', ' OR ');
    case 'not':
      return `${joinsHyphen(query.of) ? 'NOT ' : '-'}${printQuery(query.of, 'operand')}`;
    default:
      return printTerm(query);
  }
}

/** A parenthesis that is open in a word would take the closing one. */
function group(inner: string): string {
  const isOpen = inner.split('(').length > inner.split(')').length;
  return isOpen ? `(${inner} )` : `(${inner})`;
}

/** Before these, a hyphen would be a part of the word. */
function joinsHyphen(query: SearchQuery): boolean {
  return query.kind === 'word' && /^[-)]/.test(query.text);
}

function printTerm(term: SearchTerm): string {
  switch (term.kind) {
    case 'word':
      return term.text;
    case 'phrase':
      return quoted(term.text);
    case 'has':
    case 'is':
      return `${term.kind}:${term.what}`;
    case 'after':
    case 'before':
      return `${term.kind}:${new Date(term.at).toISOString()}`;
    default:
      return `${term.kind === 'folder' ? 'in' : term.kind}:${IS_WORD.test(term.text) ? term.text : quoted(term.text)}`;
  }
}

const IS_WORD = /^[^\s()"“”„][^\s()]*$/;

/** A text with a straight quote was written between others, and one with both kinds as a word. */
function quoted(text: string): string {
  if (text.includes('"') && /[“”]/.test(text)) return text;
  return text.includes('"') ? `“${text}”` : `"${text}"`;
}
