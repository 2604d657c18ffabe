import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { file, formatted, isAddress, Named, port, secret } from '../settings.ts';

/** Its section of the configuration. */
export interface EmailSettings {
  accounts: Readonly<Record<string, AccountSettings>>;
}

export type AccountSettings = z.output<typeof AccountSchema>;

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

/** One entry of `accounts`, and what the store holds of an account that was added by a command. */
export const AccountSchema = z.lazy(() =>
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

export const config: ConfigDeclaration = {
  sections: {
    accounts: {
      schema: z.record(z.string(), AccountSchema).default({}).describe('Email accounts, by an id of your choice.'),
      entry: 'an account',
    },
  },
};
