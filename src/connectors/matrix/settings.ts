import { z } from 'zod';
import { formatted, isHttpUrl, secret } from '../../settings.ts';

export function matrixSettings() {
  return z.strictObject({
    homeserver: formatted('an address that begins with http:// or https://', isHttpUrl).describe(
      'The address of the homeserver.',
    ),
    user: z.string().optional().describe('The user, like `@alice:example.org`; needed with a password.'),
    password: secret().optional().describe('The password, where there is no access token.'),
    access_token: secret().optional().describe('An access token, instead of user and password.'),
    rooms: z.array(z.string()).default([]).describe('Rooms to join besides those the user is in: `#room:example.org`.'),
  });
}

export type MatrixSettings = z.output<ReturnType<typeof matrixSettings>>;
