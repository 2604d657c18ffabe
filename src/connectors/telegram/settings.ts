import { z } from 'zod';
import { file, formatted, secret } from '../../settings.ts';

export function telegramSettings() {
  return z.strictObject({
    api_id: z.int().min(1).describe('From my.telegram.org.'),
    api_hash: secret().describe('From my.telegram.org.'),
    session: secret().optional().describe('A session string of mtcute, instead of `switchboard chat login`.'),
    server: formatted('an address with a port, such as 192.0.2.1:443', isHostAndPort)
      .optional()
      .describe('Address of another MTProto server: a test data center, or your own. Requires `server_key`.'),
    server_key: file().optional().describe('File with the public RSA key of that server, in PEM.'),
  });
}

export type TelegramSettings = z.output<ReturnType<typeof telegramSettings>>;

function isHostAndPort(text: string): boolean {
  return /^\S+:\d{1,5}$/.test(text);
}
