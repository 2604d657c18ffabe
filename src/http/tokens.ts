import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type KnownToken,
  LOCAL_IDENTITY,
  localPrincipal,
  ownerPrincipal,
  type Principal,
  type Revocation,
  type TokenFacts,
  tokenPrincipal,
} from '../domain/principal.ts';

export interface AuthSettings {
  /** The owner's token, which has all rights. */
  owner?: string;
  tokens: readonly KnownToken[];
  /** Additional scopes of the local user while no token is configured. */
  localScopes: readonly string[];
}

/** The sections of the configuration that control access, with their keys. */
interface AuthSections<Token> {
  auth: { token?: string | undefined; tokens: readonly Token[] };
  mcp: { local_scopes: readonly string[] };
}

/** `ownerToken` overrides the one of the configuration. */
export function authSettingsOf<Token extends { name: string; token_hash: string; scopes: readonly string[] }>(
  { auth, mcp }: AuthSections<Token>,
  ownerToken: string | undefined,
  factsOf: (token: Token) => TokenFacts,
): AuthSettings {
  const owner = ownerToken ?? auth.token;
  return {
    ...(owner === undefined ? {} : { owner }),
    tokens: auth.tokens.map((token) => ({
      ...factsOf(token),
      name: token.name,
      hash: token.token_hash,
      scopes: token.scopes,
    })),
    localScopes: mcp.local_scopes,
  };
}

export type Admission =
  | { kind: 'admitted'; principal: Principal }
  /** A token is required and was missing, or it is not known. */
  | { kind: 'refused'; reason: 'missing' | 'unknown' };

/**
 * Maps a bearer token to a principal. It compares with every known token in constant time. Once a token was required
 * it is required until the process ends, so that removing the last token does not open the server to everyone.
 *
 * A principal is revoked as soon as its token is removed or means other rights; the local user when a token is required.
 */
export function createAuth(
  settings: AuthSettings,
  /** Tokens added and removed by command; read again after `judgeAgain`. */
  stored: () => Promise<readonly KnownToken[]> = async () => [],
  /** Whether a token has all rights of another one that it made. */
  covers: (maker: Principal, made: Principal) => Promise<boolean> = async () => false,
) {
  let configured = entriesOf(settings);
  let local = localPrincipal(settings.localScopes);
  let isRequired = configured.length > 0;
  /** Number of changes so far: what was read before the last one is out of date. */
  let changes = 0;
  /** The stored tokens, as they were after so many changes. */
  let known: { after: number; tokens: readonly Entry[] } | undefined;
  /** The principals that were admitted, by identity. */
  const admitted = new Map<string, Admitted>();

  async function allTokens(): Promise<readonly Entry[]> {
    for (;;) {
      const current = currentTokens();
      if (current) return current;
      const before = changes;
      known = { after: before, tokens: (await stored()).map(toEntry) };
    }
  }

  /** Undefined where the stored ones have to be read again. */
  function currentTokens(): readonly Entry[] | undefined {
    return isCurrent() ? [...configured, ...(known?.tokens ?? [])] : undefined;
  }

  /** Whether the stored tokens are known. */
  function isCurrent(): boolean {
    if (known?.after !== changes) return false;
    if (configured.length + known.tokens.length > 0 && !isRequired) {
      isRequired = true;
      revoke(LOCAL_IDENTITY, 'removed');
    }
    return true;
  }

  /** A token that another one made is valid only while that one exists and has all of its rights. */
  async function isValid(principal: Principal, known: readonly Entry[]): Promise<boolean> {
    for (const identity of principal.madeBy ?? []) {
      const maker = known.find((entry) => entry.principal.identity === identity);
      if (!maker || !(await covers(maker.principal, principal))) return false;
    }
    return true;
  }

  /** The same principal object, and the same signal, for as long as its rights are the same. */
  function admit(rights: Principal): Admission {
    const before = admitted.get(rights.identity);
    if (before && (before.rights === rights || isDeepStrictEqual(before.rights, rights)))
      return { kind: 'admitted', principal: before.principal };
    revoke(rights.identity, 'changed');
    const controller = new AbortController();
    const principal = { ...rights, revoked: controller.signal };
    admitted.set(rights.identity, { rights, principal, controller });
    return { kind: 'admitted', principal };
  }

  function revoke(identity: string, why: Revocation): void {
    const before = admitted.get(identity);
    admitted.delete(identity);
    before?.controller.abort(why);
  }

  /** Tokens were added, removed or changed: revokes every principal whose rights are not what they were. */
  async function judgeAgain(): Promise<void> {
    changes += 1;
    // A store that cannot be read grants nothing.
    const known = await allTokens().catch(() => []);
    const principals = isRequired ? known.map(({ principal }) => principal) : [local];
    for (const [identity, { rights }] of admitted) {
      const found = principals.find((principal) => principal.identity === identity);
      const now = found && (await isValid(found, known)) ? found : undefined;
      if (!isDeepStrictEqual(now, rights)) revoke(identity, now ? 'changed' : 'removed');
    }
  }

  async function admitBearer(authorization: string | undefined): Promise<Admission> {
    const known = currentTokens() ?? (await allTokens());
    if (!isRequired) return admit(local);
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return { kind: 'refused', reason: 'missing' };
    const digest = sha256(token);
    const matches = known.filter((entry) => entry.digest.length === 32 && timingSafeEqual(entry.digest, digest));
    const [match] = matches;
    const before = changes;
    if (!match || !(await isValid(match.principal, known))) return { kind: 'refused', reason: 'unknown' };
    return changes === before ? admit(match.principal) : admitBearer(authorization);
  }

  return {
    judgeAgain,
    /** Applies changed settings. */
    change(next: AuthSettings): Promise<void> {
      configured = entriesOf(next);
      local = localPrincipal(next.localScopes);
      isRequired ||= configured.length > 0;
      return judgeAgain();
    },
    async required(): Promise<boolean> {
      await allTokens();
      return isRequired;
    },
    /** `authorization` is the header of a request. Without tokens it is not read, and nothing is waited for. */
    admit: (authorization: string | undefined): Admission | Promise<Admission> =>
      isCurrent() && !isRequired ? admit(local) : admitBearer(authorization),
  };
}

export type Auth = ReturnType<typeof createAuth>;

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface Admitted {
  /** As they were granted. */
  rights: Principal;
  principal: Principal;
  controller: AbortController;
}

interface Entry {
  digest: Buffer;
  principal: Principal;
}

function entriesOf({ owner, tokens }: AuthSettings): readonly Entry[] {
  return [
    ...(owner === undefined ? [] : [entryOf(ownerPrincipal(sha256(owner).toString('hex')))]),
    ...tokens.map(toEntry),
  ];
}

function toEntry(token: KnownToken): Entry {
  return entryOf(tokenPrincipal(token));
}

function entryOf(principal: Principal): Entry {
  return { digest: Buffer.from(principal.identity, 'hex'), principal };
}
