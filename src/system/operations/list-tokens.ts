import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { ConfiguredTokens, StoredToken, TokenRepository } from '../ports.ts';
import { TokenView, toFactsView } from '../token-view.ts';

export const listTokens = operation({
  cli: { path: 'token list', examples: ['switchboard token list'] },
  rest: { method: 'GET', path: '/tokens' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'Lists the tokens for HTTP and their rights. Tokens in the configuration file are read-only.',
  input: z.strictObject({}),
  output: z.object({ tokens: z.array(TokenView) }),
  async run(_, { tokens, configuredTokens }: Parts) {
    const [inFile, inStore] = await Promise.all([configuredTokens(), tokens.list()]);
    return { tokens: [...inFile.map(fromFile), ...inStore.map(fromStore)] };
  },
  render: ({ tokens }) =>
    tokens
      .map(({ name, scopes, origin, chats }) => {
        const confined = chats ? `; only ${chats.join(', ') || 'no chat'}` : '';
        return `${name} (${origin}): ${scopes.join(', ')}${confined}`;
      })
      .join('\n') || 'There is no token.',
});

interface Parts {
  tokens: TokenRepository;
  configuredTokens: ConfiguredTokens;
}

type View = z.input<typeof TokenView>;

function fromFile({ name, scopes, ...facts }: Omit<StoredToken, 'hash' | 'createdAt'>): View {
  return { name, scopes: [...scopes], ...toFactsView(facts), origin: 'file' };
}

function fromStore({ createdAt, ...token }: StoredToken): View {
  return { ...fromFile(token), origin: 'store', created_at: new Date(createdAt).toISOString() };
}
