import type { SendPolicy } from './policy.ts';

/** Who is calling: the local user on stdio and CLI, a token on HTTP. */
export interface Principal extends TokenFacts {
  readonly kind: 'local' | 'token';
  /** The token's name; `local` for the user of this machine. */
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
}

/** What a token may carry besides its scopes. */
export interface TokenFacts {
  /** Its identity in agent mail. */
  readonly agent?: string;
  /** The only chats it may read, as `SOURCE:CHAT` or `SOURCE:*`; all where it is missing. */
  readonly chats?: readonly string[];
  /** The only chats it may send to; the same as `chats` where it is missing. */
  readonly sendChats?: readonly string[];
  /** What may leave on its behalf. */
  readonly policy?: SendPolicy;
}

export type Right = 'read' | 'write' | 'send' | 'manage';
export type Scope = `${string}:${Right}`;

/** Every scope but those that are given explicitly. */
const EVERYTHING = '*';

/** Scopes that nobody has by default: starting other programs is given explicitly. */
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

/** Those of the facts that are there. */
export function tokenFacts(of: { readonly [Key in keyof TokenFacts]: TokenFacts[Key] | undefined }): TokenFacts {
  const { agent, chats, sendChats, policy } = of;
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(chats === undefined ? {} : { chats }),
    ...(sendChats === undefined ? {} : { sendChats }),
    ...(policy === undefined ? {} : { policy }),
  };
}

export function allows(principal: Principal, scope: Scope): boolean {
  if (principal.scopes.has(scope)) return true;
  return principal.scopes.has(EVERYTHING) && !GIVEN_EXPLICITLY.has(scope);
}
