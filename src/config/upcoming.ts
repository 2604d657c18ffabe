import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { amount, file, formatted, httpUrl, isAddress, milliseconds, Named, port, secret } from '../settings.ts';

/**
 * Sections of capabilities that do not exist yet. Configurations may have them already; each moves into the folder of its
 * capability, once there is one.
 */

function mailServer(usualPort: number) {
  return z.strictObject({
    host: z.string().describe('Server name or address.'),
    port: port(usualPort),
    tls: z
      .union([z.boolean(), z.literal('starttls')])
      .default(true)
      .describe('Whether TLS or STARTTLS is used.'),
  });
}

const Account = z.lazy(() =>
  z.strictObject({
    ...Named,
    email: formatted('an address like alice@example.org', isAddress).describe('Address of the account.'),
    provider: z.enum(['imap']).default('imap').describe('Protocol for reading mail.'),
    imap: mailServer(993).describe('Server for reading mail.'),
    smtp: mailServer(465).optional().describe('Server for sending mail; without it the account cannot send.'),
    auth: z
      .strictObject({
        user: z.string().optional().describe('User name; default: the address.'),
        password: secret().optional().describe('Password.'),
      })
      .prefault({})
      .describe('Credentials.'),
    ca: file().optional().describe('File with a certificate to trust, for your own certificate authority.'),
  }),
);

const Servers = z.strictObject({
  handshake_timeout_ms: milliseconds(30_000).describe('Timeout for another MCP server to start, in ms.'),
  call_timeout_ms: milliseconds(60_000).describe('Timeout of a tool call, in ms.'),
});

const Claude = z.strictObject({
  api_key: secret().optional().describe('API key of the Claude API.'),
  base_url: httpUrl().optional().describe('URL of the Claude API; default: the public one.'),
  model: z.string().optional().describe('Model for new conversations.'),
  max_tokens: amount(8192, 1, 1_000_000).describe('Maximum length of an answer, in tokens.'),
});

export const UPCOMING: ConfigDeclaration = {
  sections: {
    accounts: {
      schema: z.record(z.string(), Account).default({}).describe('Email accounts, by an id of your choice.'),
      entry: 'an account',
      atStart: '*',
    },
    servers: { schema: Servers.prefault({}).describe('Other MCP servers.'), atStart: '*' },
    claude: { schema: Claude.prefault({}).describe('Conversations with Claude.'), atStart: '*' },
  },
  variables: { ANTHROPIC_API_KEY: ['claude', 'api_key'], ANTHROPIC_BASE_URL: ['claude', 'base_url'] },
  // The Claude API no longer has this setting; configurations that have it still work.
  ignoredKeys: [{ path: ['claude', 'temperature'], text: 'is ignored; Claude does not take it any more' }],
};
