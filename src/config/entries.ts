import { z } from 'zod';
import { file, formatted, isAddress, Named, port, secret } from '../settings.ts';

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

export const Account = z.lazy(() =>
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

/** Ids that stand for something else already. */
export const RESERVED_IDS: ReadonlySet<string> = new Set(['demo', 'agentmail', 'human']);
