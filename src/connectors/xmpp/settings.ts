import { z } from 'zod';
import { file, formatted, isAddress, secret } from '../../settings.ts';

export function xmppSettings() {
  return z.strictObject({
    jid: formatted('an address like alice@example.org', isAddress).describe('Address of the account.'),
    password: secret().optional().describe('Password.'),
    service: formatted('an address like xmpp://host:5222 or xmpps://host:5223', isService)
      .optional()
      .describe('Server address, if it cannot be found by the domain: `xmpp://host:5222`, `xmpps://host:5223`.'),
    tls: z.boolean().default(true).describe('Whether TLS is required.'),
    ca: file().optional().describe('File with a certificate to trust, for your own certificate authority.'),
    nick: z.string().optional().describe('Nickname in rooms; default: the local part of the address.'),
    rooms: z.array(z.string()).default([]).describe('Rooms to join.'),
  });
}

export type XmppSettings = z.output<ReturnType<typeof xmppSettings>>;

function isService(text: string): boolean {
  return /^xmpps?:\/\/[^/\s]+$/i.test(text) && URL.canParse(text);
}
