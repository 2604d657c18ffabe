import { z } from 'zod';
import { file, formatted, partlySecret, port, secret } from '../../settings.ts';

/** `#x`, or `#x key`. */
export function channelEntry(entry: string): { name: string; key: string | undefined } {
  const [name = '', key] = entry.trim().split(/\s+/);
  return { name, key };
}

export function ircSettings() {
  return z.strictObject({
    host: z.string().describe('Server name or address.'),
    port: port(6697),
    tls: z.boolean().default(true).describe('Whether TLS is used.'),
    ca: file().optional().describe('File with a certificate to trust, for your own certificate authority.'),
    nick: formatted(NICKNAMES, isNickname).describe('Nickname.'),
    account: z.string().optional().describe('Account for SASL; default: the nickname.'),
    password: secret().optional().describe('Password of the account; without it, no login.'),
    server_password: secret().optional().describe('Password of the server, if it requires one.'),
    channels: z
      .array(partlySecret((entry) => channelEntry(entry).key))
      .default([])
      .describe('Channels to join, in quotes: `["#x", "#y its-key"]`. A key counts as a secret.'),
  });
}

const NICKNAMES = 'a nickname without spaces and `,*?!@.:`, not beginning with one of `#&~%+$-`';

/** What some server accepts: more than RFC 2812, such as letters of any script, and digits at the beginning. */
function isNickname(text: string): boolean {
  return /^[^#&~%+$-]/.test(text) && /^[^\s\p{C},*?!@.:]+$/u.test(text);
}

export type IrcSettings = z.output<ReturnType<typeof ircSettings>>;
