import { type Declared, withResolvedGrants } from '../capability.ts';
import { answerableIdentity, type KnownToken, type Principal, tokenPrincipal } from '../domain/principal.ts';
import type { ConfiguredTokens, TokenRepository } from './ports.ts';

/** The author of something that was accepted earlier. */
interface Author {
  /** Name of the principal. */
  principal: string;
  /** The identity that answered for it; unknown in what earlier versions stored. */
  identity?: string | undefined;
}

/** Tokens as they are now, for what was accepted from one earlier. */
export interface TokensNow {
  /** Its principal with the rights of now; undefined if it was removed, or another token has its name. */
  find(author: Author): Promise<Principal | undefined>;
}

interface Parts {
  tokens: Pick<TokenRepository, 'list'>;
  configuredTokens: ConfiguredTokens;
  declared(): Pick<Declared, 'grants'>;
}

export function createTokensNow({ tokens, configuredTokens, declared }: Parts): TokensNow {
  return {
    async find({ principal: name, identity }) {
      const known: KnownToken[] = [...(await configuredTokens()), ...(await tokens.list())];
      const principals = known.map(tokenPrincipal);
      const exists = (maker: string) => principals.some((one) => one.identity === maker);
      const found = principals.find(
        (one) => one.name === name && (identity === undefined || answerableIdentity(one) === identity),
      );
      // A token ends with the one that made it.
      if (!found || !(found.madeBy ?? []).every(exists)) return undefined;
      return withResolvedGrants(declared().grants, found);
    },
  };
}
