import type { z } from 'zod';
import { closest } from './did-you-mean.ts';

type Issue = z.core.$ZodIssue;

/** Maximum number of problems in an error. */
const MAX_ISSUES = 5;
const LONGEST_NAME = 64;

/**
 * The problems of an input, in sentences that name the field and what is valid, and the first such field. The
 * check must have been made with `reportInput`; values are never repeated.
 */
export function inputProblems(
  issues: readonly Issue[],
  fields: readonly string[],
): { message: string; field?: string } {
  const sentences = issues.slice(0, MAX_ISSUES).map((issue) => sentence(issue, fields));
  const more = issues.length > MAX_ISSUES ? [`And ${issues.length - MAX_ISSUES} more.`] : [];
  const field = fieldOf(issues[0]);
  return { message: [...sentences, ...more].join(' '), ...(field === undefined ? {} : { field }) };
}

function sentence(issue: Issue, fields: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') return unknownFields(issue.path, issue.keys, fields);
  const field = joined(issue.path) || 'input';
  if (issue.input !== undefined) return `${field}: ${expectation(issue)}.`;
  return issue.code === 'invalid_value' ? `${field} is required: ${expectation(issue)}.` : `${field} is required.`;
}

/** The schema library's text without its exclamation: `expected number, received string`. */
function expectation(issue: Issue): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return [...new Set(nearest(issue.errors).map(expectation))].join(' or ');
  }
  if (/^Too (small|big): /.test(issue.message)) return limitOf(issue);
  const text = issue.message.replace(/^Invalid (input|option|string|number): /, '').replace(/\.$/, '');
  return text.replace(/^expected record\b/, 'expected object');
}

/** What is wrong by the alternatives that take values of this type; by all of them if none does. */
function nearest(alternatives: readonly (readonly Issue[])[]): readonly Issue[] {
  const fitting = alternatives.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  return (fitting.length > 0 ? fitting : alternatives).flat();
}

/** A value beyond its limits, if the schema has no message for it. */
function limitOf(issue: Issue): string {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return issue.message;
  const [least, limit] = issue.code === 'too_small' ? [true, issue.minimum] : [false, issue.maximum];
  const bound = `at ${least ? 'least' : 'most'} ${limit}`;
  switch (issue.origin) {
    case 'string':
      return least && limit === 1 ? 'must not be empty' : `must have ${bound} characters`;
    case 'array':
      return least && limit === 1 ? 'must not be empty' : `must have ${bound} items`;
    case 'number':
    case 'int':
      return issue.inclusive ? `must be ${bound}` : issue.message;
    default:
      return issue.message;
  }
}

function unknownFields(path: readonly PropertyKey[], keys: readonly string[], fields: readonly string[]): string {
  const named = keys.slice(0, MAX_ISSUES).map((key) => joined([...path, key]));
  const unknown = `Unknown ${keys.length === 1 ? 'field' : 'fields'}: ${named.join(', ')}${keys.length > MAX_ISSUES ? ' …' : ''}.`;
  // The names of deeper fields are known only to the schema.
  if (path.length > 0) return unknown;
  const meant = keys.length === 1 && keys[0] !== undefined ? closest(keys[0], fields) : undefined;
  if (meant !== undefined) return `${unknown} Did you mean ${meant}?`;
  return fields.length === 0 ? `${unknown} There are none here.` : `${unknown} Valid: ${fields.join(', ')}.`;
}

function fieldOf(issue: Issue | undefined): string | undefined {
  const key = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return joined([...(issue?.path ?? []), ...key]) || undefined;
}

function joined(path: readonly PropertyKey[]): string {
  const name = path.map(String).join('.');
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
