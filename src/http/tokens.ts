import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  localPrincipal,
  ownerPrincipal,
  type Principal,
  type TokenFacts,
  tokenFacts,
  tokenPrincipal,
} from '../domain/principal.ts';

/** A token as it is kept: never itself, only its SHA-256. */
export interface KnownToken extends TokenFacts {
  name: string;
  /** SHA-256 in hexadecimal. */
  hash: string;
  scopes: readonly string[];
}

export interface AuthSettings {
  /** The owner's token: may do everything. */
  owner?: string;
  tokens: readonly KnownToken[];
  /** What the local user may do beyond the usual, where nobody has to sign in. */
  localScopes: readonly string[];
}

export type Admission =
  | { kind: 'admitted'; principal: Principal }
  /** No token where one is needed, or one that is not known. */
  | { kind: 'refused'; reason: 'missing' | 'unknown' };

/**
 * Who a bearer token stands for. Every known token is compared, in constant time, whichever fits. Once a token was
 * needed, it is needed until the process ends: the last one taken away does not let everybody in.
 */
export function createAuth(
  settings: AuthSettings,
  /** Tokens that come and go while the door is open, as they are at this moment. */
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
    /** The configuration is another now. Gives the names that stand for somebody else than before, or for nobody. */
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
    ...(owner === undefined ? [] : [{ digest: sha256(owner), principal: ownerPrincipal('owner') }]),
    ...tokens.map(toEntry),
  ];
}

function toEntry({ name, hash, scopes, ...facts }: KnownToken): Entry {
  return { digest: Buffer.from(hash, 'hex'), principal: tokenPrincipal(name, scopes, tokenFacts(facts)) };
}
