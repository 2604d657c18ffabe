import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { file, formatted, httpUrl, isAddress, milliseconds, Named, port, secret } from '../settings.ts';
import { PRESET_IDS } from './accounts/presets.ts';

/** Its section of the configuration. */
export interface EmailSettings {
  accounts: Readonly<Record<string, AccountSettings>>;
}

export type AccountSettings = z.output<typeof AccountSchema>;

export type ServerSettings = z.output<ReturnType<typeof mailServer>>;

export type OAuthSettings = z.output<typeof OAuth>;

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

const OAuth = z.strictObject({
  provider: z
    .enum(['google', 'microsoft'])
    .optional()
    .describe('Authority whose endpoints and scopes are known; default: that of the provider.'),
  issuer: httpUrl().optional().describe('Another authority, which publishes its endpoints.'),
  authorization_endpoint: httpUrl().optional().describe('URL for signing in with a browser.'),
  token_endpoint: httpUrl().optional().describe('URL for tokens, of an authority that does not publish its endpoints.'),
  device_endpoint: httpUrl().optional().describe('URL for signing in with a code.'),
  client_id: z.string().describe('Id of the client that you registered with the authority.'),
  client_secret: secret().optional().describe('Secret of the client, if it has one.'),
  scopes: z.array(z.string()).optional().describe('Requested scopes; default: those of the provider.'),
  redirect_uri: formatted('an address like http://127.0.0.1:8123/callback', isLoopbackUrl)
    .optional()
    .describe('Registered redirect URI, on this machine; default: any free port.'),
});

const Auth = z.strictObject({
  user: z.string().optional().describe('User name; default: the address.'),
  password: secret()
    .optional()
    .describe('Password, or app password; default: the one that `switchboard email login` stored.'),
  oauth: OAuth.optional().describe('OAuth 2.0 instead of a password; sign in with `switchboard email login`.'),
});

/** One entry of `accounts`, and what the store holds of an account that was added by a command. */
export const AccountSchema = z.lazy(() =>
  z
    .strictObject({
      ...Named,
      email: formatted('an address like alice@example.org', isAddress).describe('Address of the account.'),
      from_name: z.string().optional().describe('Your name in the header `From`; default: none.'),
      aliases: z
        .array(formatted('an address, or *@ and a domain', isAddress))
        .default([])
        .describe('Your other addresses that this account receives; `*@example.org` is all of a domain.'),
      provider: z
        .enum(['imap', ...PRESET_IDS])
        .default('imap')
        .describe('Provider whose servers are known, or `imap` for any other.'),
      imap: mailServer(993).optional().describe('Server for reading mail; default: that of the provider.'),
      smtp: mailServer(465)
        .optional()
        .describe('Server for sending mail; default: that of the provider. Without one the account cannot send.'),
      auth: Auth.prefault({}).describe('Credentials.'),
      ca: file().optional().describe('File with a certificate to trust, for your own certificate authority.'),
      history_days: z.int().min(1).max(36_500).optional().describe('Days of older mail to fetch; default: all of it.'),
      keep_days: z
        .int()
        .min(1)
        .max(36_500)
        .optional()
        .describe('Days after which stored emails are forgotten here; default: never.'),
      poll_ms: milliseconds(120_000, 100).describe('How often folders other than the inbox are checked, in ms.'),
    })
    .refine(({ provider, imap }) => provider !== 'imap' || imap !== undefined, { path: ['imap'] }),
);

function isLoopbackUrl(text: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|localhost):\d+(?:\/|$)/.test(text) && URL.canParse(text);
}

export const config: ConfigDeclaration = {
  sections: {
    accounts: {
      schema: z.record(z.string(), AccountSchema).default({}).describe('Email accounts, by an id of your choice.'),
      entry: 'an account',
    },
  },
};
