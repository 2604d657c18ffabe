import { z } from 'zod';
import { httpUrl, secret } from '../../settings.ts';

export function beeperSettings() {
  return z.strictObject({
    url: httpUrl().default('http://localhost:23373').describe('Address of the API of Beeper Desktop.'),
    access_token: secret().optional().describe('Access token from Settings → Developers in Beeper Desktop.'),
  });
}

export type BeeperSettings = z.output<ReturnType<typeof beeperSettings>>;
