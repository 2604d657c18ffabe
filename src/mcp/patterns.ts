import type { ResourceUpdate } from '../capability.ts';
import { AppError } from '../domain/errors.ts';

/**
 * Whether an update matches a subscription. A subscription is a URI in which `*` matches any path segment (at the
 * end, all that follow), and whose query filters by the update's fields: `messages://telegram/*`,
 * `messages://telegram/*?sender=Alice`. Filters ignore case and accents.
 */
export function subscriptionTo(pattern: string): (update: ResourceUpdate) => boolean {
  const [path = '', query = ''] = splitOnce(pattern, '?');
  const segments = path.split('/');
  const filters = [...new URLSearchParams(query)]
    .filter(([name]) => name !== RESUME)
    .map(([name, wanted]) => [name, folded(wanted)] as const);
  return ({ uri, fields }) =>
    matchesPath(segments, uri.split('/')) &&
    filters.every(([name, wanted]) => {
      const values = Object.hasOwn(fields, name) ? [fields[name] ?? []].flat() : [];
      return values.some((value) => folded(value) === wanted);
    });
}

/** The query parameter with the number of the last event a subscriber received. It is no filter. */
const RESUME = 'after';

/** A subscription without its resume parameter, and the event after which it resumes. */
export function splitResume(pattern: string): { pattern: string; after?: number } {
  const [path = '', query] = splitOnce(pattern, '?');
  const parts = query?.split('&') ?? [];
  const values = parts.filter(isResume).map((part) => part.slice(RESUME.length + 1));
  const [value] = values;
  if (value === undefined) return { pattern };
  if (values.length > 1 || !/^\d{1,15}$/.test(value)) {
    throw new AppError('VALIDATION_ERROR', '`after` in a subscription must be the number of an event, once.', {
      field: 'uri',
    });
  }
  const rest = parts.filter((part) => !isResume(part)).join('&');
  return { pattern: rest === '' ? path : `${path}?${rest}`, after: Number(value) };
}

/** The same subscription, resumed after an event. */
export function resumeAfter(pattern: string, number: number): string {
  return `${pattern}${pattern.includes('?') ? '&' : '?'}${RESUME}=${number}`;
}

function isResume(part: string): boolean {
  return part === RESUME || part.startsWith(`${RESUME}=`);
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Whether a subscription can ever match a resource with this URI or template. */
export function mayMatch(pattern: string, address: string): boolean {
  const [path = ''] = splitOnce(pattern, '?');
  const wanted = path.split('/');
  // A variable matches any segment of the pattern.
  const possible = address.split('/').map((segment, index) => (segment.includes('{') ? wanted[index] || '?' : segment));
  return matchesPath(wanted, possible);
}

function matchesPath(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.at(-1) === '*' ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every((segment, index) => segment === '*' || segment === path[index]);
}

/** No resource has a longer URI. */
const MAX_URI_LENGTH = 8_192;

/**
 * Returns a function that extracts the decoded variables of a template such as `messages://{source}/{chat}` from a
 * URI, or undefined where it does not match. A query is ignored.
 */
export function templateMatcher(template: string): (uri: string) => Record<string, string> | undefined {
  // The odd elements are the names of the variables.
  const parts = template.split(/\{(\w+)\}/);
  const names = parts.filter((_, index) => index % 2 === 1);
  const expressions = parts.map((part, index) => (index % 2 === 1 ? '([^/,]+)' : escaped(part)));
  const pattern = new RegExp(`^${expressions.join('')}$`);
  return (uri) => {
    if (uri.length > MAX_URI_LENGTH || !URL.canParse(uri)) return undefined;
    const [bare = ''] = splitOnce(uri, '?');
    const values = pattern.exec(bare)?.slice(1);
    return values && decoded(names, values);
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function decoded(names: readonly string[], values: readonly string[]): Record<string, string> | undefined {
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]));
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
