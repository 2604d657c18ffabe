/** The caller: the local user on stdio and CLI, a token on HTTP. */
export interface Principal extends TokenFacts {
  readonly kind: 'local' | 'token';
  /** The token's name; `local` for the user of this machine. */
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
}

/** What a token may carry besides its scopes. Each capability declares what it adds, where it reads it. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declarations
export interface TokenFacts {}

export type Right = 'read' | 'write' | 'send' | 'manage';
export type Scope = `${string}:${Right}`;

/** Every scope except those that must be granted explicitly. */
const EVERYTHING = '*';

/** Scopes that are not granted by default: starting other programs must be allowed explicitly. */
const GIVEN_EXPLICITLY: ReadonlySet<string> = new Set(['servers:manage']);

/** The user of this machine, on stdio, CLI and unauthenticated loopback. */
export function localPrincipal(extraScopes: readonly string[] = []): Principal {
  return { kind: 'local', name: 'local', scopes: new Set([EVERYTHING, ...extraScopes]) };
}

/** The owner's token (`auth.token`) may do everything. */
export function ownerPrincipal(name: string): Principal {
  return { kind: 'token', name, scopes: new Set([EVERYTHING, ...GIVEN_EXPLICITLY]) };
}

export function tokenPrincipal(name: string, scopes: readonly string[], facts: TokenFacts = {}): Principal {
  return { kind: 'token', name, scopes: new Set(scopes), ...facts };
}

/** The facts without those that are undefined. */
export function tokenFacts(facts: TokenFacts): TokenFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

export function allows(principal: Principal, scope: Scope): boolean {
  if (principal.scopes.has(scope)) return true;
  return principal.scopes.has(EVERYTHING) && !GIVEN_EXPLICITLY.has(scope);
}
