import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { amount, httpUrl, secret } from '../settings.ts';

/**
 * Sections of capabilities that do not exist yet. Configurations may have them already; each moves into the folder of its
 * capability, once there is one.
 */

const Claude = z.strictObject({
  api_key: secret().optional().describe('API key of the Claude API.'),
  base_url: httpUrl().optional().describe('URL of the Claude API; default: the public one.'),
  model: z.string().optional().describe('Model for new conversations.'),
  max_tokens: amount(8192, 1, 1_000_000).describe('Maximum length of an answer, in tokens.'),
});

export const UPCOMING: ConfigDeclaration = {
  sections: {
    claude: { schema: Claude.prefault({}).describe('Conversations with Claude.'), atStart: '*' },
  },
  variables: { ANTHROPIC_API_KEY: ['claude', 'api_key'], ANTHROPIC_BASE_URL: ['claude', 'base_url'] },
  // The Claude API no longer has this setting; configurations that have it still work.
  ignoredKeys: [{ path: ['claude', 'temperature'], text: 'is ignored; Claude does not take it any more' }],
};
