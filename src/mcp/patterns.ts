import type { UriTemplate } from '@modelcontextprotocol/server';
import type { ResourceUpdate } from '../operation.ts';

/**
 * Whether an update is one that a subscription asked for. A subscription is a URI in which `*` stands for any path
 * segment (or, last, for all that follow), and whose query filters by the update's fields: `messages://telegram/*`,
 * `messages://telegram/*?sender=Alice`.
 */
export function matchesSubscription(pattern: string, update: ResourceUpdate): boolean {
  const [path = '', query = ''] = splitOnce(pattern, '?');
  if (!matchesPath(path.split('/'), update.uri.split('/'))) return false;
  const fields = new Map(Object.entries(update.fields));
  return [...new URLSearchParams(query)].every(
    ([name, wanted]) => name === RESUME || fields.get(name)?.toLowerCase() === wanted.toLowerCase(),
  );
}

/** The query parameter that names the last event a subscriber has seen; it filters nothing. */
const RESUME = 'after';

/** Whether a subscription can ever fit a resource of this URI or template. */
export function mayMatch(pattern: string, address: string): boolean {
  const [path = ''] = splitOnce(pattern, '?');
  const wanted = path.split('/');
  // A template's variable fits whatever the pattern says in its place.
  const possible = address.split('/').map((segment, index) => (segment.includes('{') ? wanted[index] || '?' : segment));
  return matchesPath(wanted, possible);
}

function matchesPath(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.at(-1) === '*' ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every((segment, index) => segment === '*' || segment === path[index]);
}

/** No resource has a longer address; the SDK's template would throw over a million characters. */
const LONGEST_URI = 8_192;

/** The variables of a template that a URI fits, decoded; a query may follow. */
export function matchesTemplate(template: UriTemplate, uri: string): Record<string, string> | undefined {
  if (uri.length > LONGEST_URI || !URL.canParse(uri)) return undefined;
  const [bare = ''] = splitOnce(uri, '?');
  const variables = template.match(bare);
  if (!variables) return undefined;
  try {
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, decodeURIComponent(String(value))]),
    );
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
