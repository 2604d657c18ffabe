import { z } from 'zod';
import { file, port, secret } from '../../settings.ts';

export function ircSettings() {
  return z.strictObject({
    host: z.string().describe('The server.'),
    port: port(6697),
    tls: z.boolean().default(true).describe('Whether the connection is encrypted.'),
    ca: file().optional().describe('A file with the certificate to trust, when it is one of your own.'),
    nick: z.string().describe('The nickname.'),
    account: z.string().optional().describe('The account to sign in to (SASL); the nickname when empty.'),
    password: secret().optional().describe('Its password; without one, nobody signs in.'),
    server_password: secret().optional().describe('The password of the server itself, where it asks for one.'),
    channels: z.array(z.string()).default([]).describe('Channels to join, in quotes: `["#x"]`.'),
  });
}

export type IrcSettings = z.output<ReturnType<typeof ircSettings>>;
