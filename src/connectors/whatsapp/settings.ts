import { z } from 'zod';
import { formatted } from '../../settings.ts';

export function whatsappSettings() {
  return z.strictObject({
    phone: formatted('a phone number with its country code', (text) => /^\+?\d{6,15}$/.test(text))
      .optional()
      .describe(
        'Your phone number, in quotes: `"+15550100"`. Links with a code to type on the phone instead of a QR code.',
      ),
    endpoint: formatted('an address that begins with ws:// or wss://', isWebSocketUrl)
      .optional()
      .describe('Address of another server, for tests.'),
    root_key: formatted('64 hexadecimal digits', (text) => /^[0-9a-f]{64}$/i.test(text))
      .optional()
      .describe('Public key that certifies that server, for tests.'),
  });
}

export type WhatsappSettings = z.output<ReturnType<typeof whatsappSettings>>;

function isWebSocketUrl(text: string): boolean {
  return /^wss?:\/\//i.test(text) && URL.canParse(text);
}
