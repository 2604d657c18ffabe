import { z } from 'zod';
import { file, formatted, isHttpUrl, secret } from '../../settings.ts';

export function matrixSettings() {
  return z.strictObject({
    homeserver: formatted('an address that begins with http:// or https://', isHttpUrl).describe(
      'URL of the homeserver.',
    ),
    user: z.string().optional().describe('User id, such as `@alice:example.org`; required with a password.'),
    password: secret().optional().describe('Password, if there is no access token.'),
    access_token: secret().optional().describe('Access token, instead of user and password.'),
    ca: file().optional().describe('File with a certificate to trust, for your own certificate authority.'),
    rooms: z.array(z.string()).default([]).describe('Further rooms to join: `#room:example.org`.'),
  });
}

export type MatrixSettings = z.output<ReturnType<typeof matrixSettings>>;
