interface ConfiguredToken {
  name: string;
  token_hash: string;
  scopes: readonly string[];
}

/** The tokens of a configuration as the store has its own, with what capabilities add to them. */
export function configuredTokens<Facts extends object>(
  { auth }: { auth: { tokens: readonly ConfiguredToken[] } },
  factsOf: (token: object) => Facts,
) {
  return auth.tokens.map((token) => ({
    name: token.name,
    hash: token.token_hash,
    scopes: token.scopes,
    ...factsOf(token),
  }));
}
