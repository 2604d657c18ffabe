/** What a server says in `WWW-Authenticate` about the token that it wants (RFC 6750, RFC 9728). */
export interface BearerChallenge {
  /** `invalid_token` or `insufficient_scope`. */
  error?: string;
  scopes?: readonly string[];
  /** Address of the protected resource metadata. */
  resourceMetadata?: string;
}

interface Challenge {
  scheme: string;
  parameters: ReadonlyMap<string, string>;
}

const MAX_LENGTH = 16_384;
const MAX_SCOPES = 100;
const MAX_SCOPE_LENGTH = 256;
/** RFC 6749, appendix A.4. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const SPACE = /[ \t]*/y;
const SEPARATORS = /[ \t,]*/y;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;

/** The first Bearer challenge of a header that may hold several; undefined where there is none. */
export function bearerChallenge(header: string | undefined): BearerChallenge | undefined {
  if (header === undefined || header.length > MAX_LENGTH) return undefined;
  const parameters = challengesIn(header).find(({ scheme }) => scheme === 'bearer')?.parameters;
  if (!parameters) return undefined;
  const [error, scope, resourceMetadata] = ['error', 'scope', 'resource_metadata'].map((name) => parameters.get(name));
  return {
    ...(error === undefined ? {} : { error }),
    ...(scope === undefined ? {} : { scopes: scopesIn(scope) }),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
  };
}

/** The valid scopes of a list that is separated by spaces, each once. */
export function scopesIn(text: string): string[] {
  return validScopes(text.split(' '));
}

export function validScopes(scopes: readonly string[]): string[] {
  const valid = scopes.filter((scope) => scope.length <= MAX_SCOPE_LENGTH && SCOPE.test(scope));
  return [...new Set(valid)].slice(0, MAX_SCOPES);
}

/** RFC 9110, section 11.6.1. What follows a syntax error is left out. */
function challengesIn(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match) at = pattern.lastIndex;
    return match;
  };

  /** `name=value`; undefined, and nothing is taken, where the next word begins another challenge. */
  function parameter(): [string, string] | undefined {
    const before = at;
    const name = take(TOKEN)?.[0];
    take(SPACE);
    if (name !== undefined && header[at] === '=') {
      at += 1;
      take(SPACE);
      const quoted = take(QUOTED)?.[1]?.replace(/\\(.)/g, '$1');
      const value = quoted ?? take(TOKEN)?.[0];
      if (value !== undefined) return [name.toLowerCase(), value];
    }
    at = before;
    return undefined;
  }

  function parameters(): Map<string, string> {
    const found = new Map<string, string>();
    if (take(TOKEN68)) return found;
    take(SEPARATORS);
    for (let next = parameter(); next; next = parameter()) {
      // A repeated parameter is an error; the first one counts.
      if (!found.has(next[0])) found.set(...next);
      take(SEPARATORS);
    }
    return found;
  }

  for (take(SEPARATORS); at < header.length; take(SEPARATORS)) {
    const scheme = take(TOKEN)?.[0];
    const isFollowed = header[at] === ' ' || header[at] === '\t';
    if (scheme === undefined || !(isFollowed || at === header.length || header[at] === ',')) break;
    take(SPACE);
    challenges.push({ scheme: scheme.toLowerCase(), parameters: isFollowed ? parameters() : new Map() });
  }
  return challenges;
}
