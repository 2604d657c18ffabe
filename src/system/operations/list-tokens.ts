import { z } from 'zod';
import { type Declared, factsFrom, type Grant } from '../../capability.ts';
import { operation } from '../../operation.ts';
import type { ConfiguredTokens, StoredToken, TokenRepository } from '../ports.ts';
import { toFields, tokenView } from '../token-view.ts';

export const listTokens = operation({
  cli: { path: 'token list', examples: ['switchboard token list'] },
  rest: { method: 'GET', path: '/tokens' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'Lists the tokens for HTTP and their rights. Tokens in the configuration file are read-only.',
  input: z.strictObject({}),
  output: z.object({ tokens: z.array(tokenView([])) }),
  async run(_, { tokens, configuredTokens, declared }: Parts) {
    const { grants } = declared();
    const [inFile, inStore] = await Promise.all([configuredTokens(), tokens.list()]);
    return {
      tokens: [...inFile.map((token) => fromFile(grants, token)), ...inStore.map((token) => fromStore(grants, token))],
    };
  },
  complete: ({ grants }) => ({
    output: z.object({ tokens: z.array(tokenView(grants)) }),
    render: ({ tokens }) => (tokens as View[]).map((token) => lineOf(grants, token)).join('\n') || 'There is no token.',
  }),
});

interface Parts {
  declared(): Declared;
  tokens: TokenRepository;
  configuredTokens: ConfiguredTokens;
}

type View = z.input<ReturnType<typeof tokenView>>;

function lineOf(grants: readonly Grant[], { name, scopes, origin, ...fields }: View): string {
  const facts = factsFrom(grants, fields);
  const confined = grants.map((grant) => grant.summary?.(facts)).filter((text) => text !== undefined);
  return [`${name} (${origin}): ${scopes.join(', ')}`, ...confined].join('; ');
}

function fromFile(grants: readonly Grant[], token: Omit<StoredToken, 'createdAt'>): View {
  const { name, scopes, hash: _, ...facts } = token;
  return { name, scopes: [...scopes], ...toFields(grants, facts), origin: 'file' };
}

function fromStore(grants: readonly Grant[], { createdAt, ...token }: StoredToken): View {
  return { ...fromFile(grants, token), origin: 'store', created_at: new Date(createdAt).toISOString() };
}
