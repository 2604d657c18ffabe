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
  { kind: 'whatsapp', settings: () => z.strictObject({}) },
] as const;
