import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { amount, httpUrl, milliseconds, secret } from '../settings.ts';

const Price = z.strictObject({
  input: z.number().min(0).max(10_000).describe('US dollars per million tokens that Claude reads.'),
  output: z.number().min(0).max(10_000).describe('US dollars per million tokens that Claude writes.'),
});

const Claude = z.strictObject({
  api_key: secret().optional().describe('API key of the Claude API.'),
  base_url: httpUrl().optional().describe('URL of the Claude API; default: the public one.'),
  model: z.string().optional().describe('Model for new conversations; default: `claude-opus-5-5`.'),
  max_tokens: amount(8192, 1, 1_000_000).describe('Maximum length of an answer, in tokens.'),
  timeout_ms: milliseconds(120_000).describe('Timeout of one attempt of a request.'),
  max_retries: amount(2, 0, 10).describe('How often a request that failed is sent again.'),
  max_iterations: amount(20, 1, 1_000).describe('Maximum number of requests in one turn of a conversation.'),
  turn_timeout_ms: milliseconds(600_000).describe(
    'Timeout of one turn of a conversation; waiting for approval is not counted.',
  ),
  budget_tokens: z.int().min(1).optional().describe('Maximum number of tokens of a conversation; default: no limit.'),
  budget_usd: z.number().min(0).optional().describe('Maximum cost of a conversation in US dollars; default: no limit.'),
  prices: z
    .record(z.string(), Price)
    .default({})
    .describe('Prices by model id, for costs and budgets; that of `claude-opus-5-5` is known.'),
});

/** Its section of the configuration. */
export interface ClaudeSettings {
  claude: z.output<typeof Claude>;
}

export const config: ConfigDeclaration = {
  sections: { claude: { schema: Claude.prefault({}).describe('Conversations with Claude.') } },
  variables: { ANTHROPIC_API_KEY: ['claude', 'api_key'], ANTHROPIC_BASE_URL: ['claude', 'base_url'] },
  // The Claude API no longer has this setting; configurations that have it still work.
  ignoredKeys: [{ path: ['claude', 'temperature'], text: 'is ignored; Claude does not take it any more' }],
};
