import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { amount, file, formatted, httpUrl, isAddress, milliseconds, Named, port, secret } from '../settings.ts';

/**
 * Sections of capabilities that do not exist yet. Configurations may have them already; each moves into the folder of its
 * capability, once there is one.
 */

function mailServer(usualPort: number) {
  return z.strictObject({
    host: z.string().describe('The server.'),
    port: port(usualPort),
    tls: z
      .union([z.boolean(), z.literal('starttls')])
      .default(true)
      .describe('Whether and how it is encrypted.'),
  });
}

const Account = z.lazy(() =>
  z.strictObject({
    ...Named,
    email: formatted('an address like alice@example.org', isAddress).describe('The address of the account.'),
    provider: z.enum(['imap']).default('imap').describe('How its mail is reached.'),
    imap: mailServer(993).describe('Where mail is read.'),
    smtp: mailServer(465).optional().describe('Where mail is sent; without it nothing can be.'),
    auth: z
      .strictObject({
        user: z.string().optional().describe('The user’s name there; the address when empty.'),
        password: secret().optional().describe('The password.'),
      })
      .prefault({})
      .describe('How to sign in.'),
    ca: file().optional().describe('A file with the certificate to trust, when it is one of your own.'),
  }),
);

const Servers = z.strictObject({
  handshake_timeout_ms: milliseconds(30_000).describe('How long another MCP server may take to start.'),
  call_timeout_ms: milliseconds(60_000).describe('How long one call of its tools may take.'),
});

const Claude = z.strictObject({
  api_key: secret().optional().describe('The key of the Claude API.'),
  base_url: httpUrl().optional().describe('Where the Claude API is, when not at its usual address.'),
  model: z.string().optional().describe('The model of new conversations.'),
  max_tokens: amount(8192, 1, 1_000_000).describe('The longest answer, in tokens.'),
});

export const UPCOMING: ConfigDeclaration = {
  sections: {
    accounts: {
      schema: z.record(z.string(), Account).default({}).describe('Email accounts, each under an id of your choice.'),
      entry: 'an account',
      atStart: '*',
    },
    servers: { schema: Servers.prefault({}).describe('Other MCP servers.'), atStart: '*' },
    claude: { schema: Claude.prefault({}).describe('Conversations with Claude.'), atStart: '*' },
  },
  variables: { ANTHROPIC_API_KEY: ['claude', 'api_key'], ANTHROPIC_BASE_URL: ['claude', 'base_url'] },
  // The Claude API has no such setting any more; configurations that have it go on working.
  ignoredKeys: [{ path: ['claude', 'temperature'], text: 'is ignored; Claude does not take it any more' }],
};
