import { z } from 'zod';
import { secret } from '../settings.ts';

/**
 * Kinds of source that a configuration may have before their connectors exist. The settings of each move into the folder
 * of its connector, once there is one.
 */
export const PLANNED = [
  {
    kind: 'telegram',
    settings: () =>
      z.strictObject({
        api_id: z.int().min(1).describe('From my.telegram.org.'),
        api_hash: secret().describe('From my.telegram.org.'),
      }),
  },
  {
    kind: 'signal',
    settings: () =>
      z.strictObject({
        account: z.string().describe('Phone number, in quotes: `"+15550100"`.'),
        endpoint: z.string().optional().describe('Address of signal-cli: `tcp://127.0.0.1:7583`.'),
      }),
  },
  { kind: 'beeper', settings: () => z.strictObject({}) },
] as const;
