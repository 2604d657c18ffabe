import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type KnownToken,
  localPrincipal,
  ownerPrincipal,
  type Principal,
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
 */
export function createAuth(
  settings: AuthSettings,
  /** Tokens added and removed by command; read for each request. */
  stored: () => Promise<readonly KnownToken[]> = async () => [],
) {
  let configured = entriesOf(settings);
  let local = localPrincipal(settings.localScopes);
  let isRequired = configured.length > 0;

  async function allTokens(): Promise<readonly Entry[]> {
    const known = [...configured, ...(await stored()).map(toEntry)];
    isRequired ||= known.length > 0;
    return known;
  }

  return {
    /** Applies changed settings. Returns the names of tokens that were removed or now mean another principal. */
    change(next: AuthSettings): readonly string[] {
      const before = configured;
      configured = entriesOf(next);
      local = localPrincipal(next.localScopes);
      isRequired ||= configured.length > 0;
      const isUnchanged = (entry: Entry) => configured.some((other) => isDeepStrictEqual(other, entry));
      return before.filter((entry) => !isUnchanged(entry)).map(({ principal }) => principal.name);
    },
    async required(): Promise<boolean> {
      await allTokens();
      return isRequired;
    },
    async admit(authorization: string | undefined): Promise<Admission> {
      const known = await allTokens();
      if (!isRequired) return { kind: 'admitted', principal: local };
      const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
      if (token === undefined) return { kind: 'refused', reason: 'missing' };
      const digest = sha256(token);
      const matches = known.filter((entry) => entry.digest.length === 32 && timingSafeEqual(entry.digest, digest));
      const [match] = matches;
      return match ? { kind: 'admitted', principal: match.principal } : { kind: 'refused', reason: 'unknown' };
    },
  };
}

export type Auth = ReturnType<typeof createAuth>;

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
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
