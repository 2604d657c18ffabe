import { z } from 'zod';
import { file, formatted, isAddress, secret } from '../../settings.ts';

export function xmppSettings() {
  return z.strictObject({
    jid: formatted('an address like alice@example.org', isAddress).describe('The address of the account.'),
    password: secret().optional().describe('Its password.'),
    service: formatted('an address like xmpp://host:5222 or xmpps://host:5223', isService)
      .optional()
      .describe('Where its server is, when its domain does not say: `xmpp://host:5222`, `xmpps://host:5223`.'),
    tls: z.boolean().default(true).describe('Whether the password may only be sent over an encrypted connection.'),
    ca: file().optional().describe('A file with the certificate to trust, when it is one of your own.'),
    nick: z.string().optional().describe('The nickname in rooms; the first part of the address when empty.'),
    rooms: z.array(z.string()).default([]).describe('Rooms to join.'),
  });
}

export type XmppSettings = z.output<ReturnType<typeof xmppSettings>>;

function isService(text: string): boolean {
  return /^xmpps?:\/\/[^/\s]+$/i.test(text) && URL.canParse(text);
}
