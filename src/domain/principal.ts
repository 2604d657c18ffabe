/** The caller: the local user on stdio and CLI, a token on HTTP. */
export interface Principal extends TokenFacts {
  readonly kind: 'local' | 'token';
  /** The token's name; `local` for the user of this machine. Only shown: another token may get the same name. */
  readonly name: string;
  /**
   * What sessions, streams and items belong to: the SHA-256 of the token, `local` for the user of this machine. It is not
   * shown to clients, because a short token can be guessed from it.
   */
  readonly identity: string;
  readonly scopes: ReadonlySet<string>;
  /**
   * Aborted when these rights no longer hold: the token was removed or changed, or the first token was set. Missing where
   * they hold as long as the process does.
   */
  readonly revoked?: AbortSignal;
}

/** What a token may carry besides its scopes. Each capability declares what it adds, where it reads it. */
export interface TokenFacts {
  /** Identities of the tokens it was made by, the first of which the owner made; missing where the owner made it. */
  readonly madeBy?: readonly string[] | undefined;
}

export const RIGHTS = ['read', 'write', 'send', 'manage'] as const;

export type Right = (typeof RIGHTS)[number];
/** The right to speak as the user: what is sent with it comes from the user, and not from an agent. */
export const HUMAN_SCOPE = 'human';
/** For hints: from where a call counts as the user's. */
export const WHERE_THE_USER_IS =
  'in a terminal without an assistant (within tmux: a plain shell of an attached session, in a window that is no agent’s), or uses a token with the scope human';
export type Scope = `${string}:${Right}` | typeof HUMAN_SCOPE;

const SCOPE = new RegExp(`^[a-z]+:(?:${RIGHTS.join('|')})$`);

/** Whether a text has the form of a scope that a token can have. */
export function isScope(text: string): text is Scope {
  return text === HUMAN_SCOPE || SCOPE.test(text);
}

/** The capability of the first scope that none of these has. */
export function unknownCapability(scopes: readonly string[], capabilities: readonly string[]): string | undefined {
  const named = scopes.filter((scope) => scope !== HUMAN_SCOPE).map((scope) => scope.replace(/:.*/s, ''));
  return named.find((name) => !capabilities.includes(name));
}

/** Every scope except those that must be granted explicitly. */
const EVERYTHING = '*';

/** Scopes that are not granted by default: starting other programs, and speaking as the user. */
const GIVEN_EXPLICITLY: ReadonlySet<string> = new Set(['servers:manage', HUMAN_SCOPE]);

/** The identity of the user of this machine. No token has it: a token's identity is 64 hexadecimal digits. */
export const LOCAL_IDENTITY = 'local';

/** The user of this machine, on stdio, CLI and unauthenticated loopback. */
export function localPrincipal(extraScopes: readonly string[] = []): Principal {
  const scopes = new Set([EVERYTHING, ...extraScopes]);
  return { kind: 'local', name: 'local', identity: LOCAL_IDENTITY, scopes };
}

/** The owner's token (`auth.token`) may do everything. */
export function ownerPrincipal(hash: string): Principal {
  return { kind: 'token', name: 'owner', identity: hash, scopes: new Set([EVERYTHING, ...GIVEN_EXPLICITLY]) };
}

/** A token as it is stored: its hash, never the token. */
export interface KnownToken extends TokenFacts {
  name: string;
  /** SHA-256 in hexadecimal. */
  hash: string;
  scopes: readonly string[];
  createdAt?: number;
}

export function tokenPrincipal({ name, hash, scopes, createdAt, ...facts }: KnownToken): Principal {
  return { ...tokenFacts(facts), kind: 'token', name, identity: hash.toLowerCase(), scopes: new Set(scopes) };
}

/** Whether this is the owner's token. No other token has this scope: it cannot be listed. */
export function isOwnerToken(principal: Principal): boolean {
  return principal.kind === 'token' && isOwner(principal);
}

/** The facts without those that are undefined. */
export function tokenFacts(facts: TokenFacts): TokenFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** Rights that were revoked allow nothing, so that no session or stream opened with them can use them. */
export function allows(principal: Principal, scope: Scope): boolean {
  if (principal.revoked?.aborted) return false;
  if (principal.scopes.has(scope)) return true;
  return principal.scopes.has(EVERYTHING) && !GIVEN_EXPLICITLY.has(scope);
}

/**
 * Whether this is a token of the user. The local user has none: an agent's program could call in the same way. Nor has a
 * token of an agent, whatever its scopes are.
 */
export function isUsersToken(principal: Principal & { agent?: string | undefined }): boolean {
  return principal.kind === 'token' && principal.agent === undefined && allows(principal, HUMAN_SCOPE);
}

/** Whether it has all rights, now and in later versions: the user of this machine, and the owner's token. */
export function isOwner(principal: Principal): boolean {
  return principal.scopes.has(EVERYTHING) && !principal.revoked?.aborted;
}

/**
 * The identity that answers for what a principal does and holds: a token that makes another one does not become another
 * sender or approver by that, and gets no further share of what is limited.
 */
export function answerableIdentity({ madeBy, identity }: Principal): string {
  return madeBy?.[0] ?? identity;
}

/** Why rights were revoked: the identity has other rights now, or none. */
export type Revocation = 'changed' | 'removed';

/** What is called when rights are revoked. Each request waits for it, and a listener on the signal costs more than a set. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

function waitingFor(revoked: AbortSignal): Set<() => void> {
  const known = waiting.get(revoked);
  if (known) return known;
  const made = new Set<() => void>();
  waiting.set(revoked, made);
  const notifyAll = () => {
    for (const notify of made) notify();
    made.clear();
  };
  revoked.addEventListener('abort', notifyAll, { once: true });
  return made;
}

/** Calls back once when the rights of a principal are revoked, immediately where they are. Returns how to stop that. */
export function onRevoked({ revoked }: Principal, listener: (why: Revocation) => void): () => void {
  if (!revoked) return () => {};
  const notify = () => listener(revoked.reason as Revocation);
  if (revoked.aborted) notify();
  else waitingFor(revoked).add(notify);
  return () => void waiting.get(revoked)?.delete(notify);
}
