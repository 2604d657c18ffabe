import { z } from 'zod';

/**
 * Kinds of source that a configuration may have before their connectors exist. The settings of each move into the folder
 * of its connector, once there is one.
 */
export const PLANNED = [
  {
    kind: 'signal',
    settings: () =>
      z.strictObject({
        account: z.string().describe('Phone number, in quotes: `"+15550100"`.'),
        endpoint: z.string().optional().describe('Address of signal-cli: `tcp://127.0.0.1:7583`.'),
      }),
  },
  { kind: 'whatsapp', settings: () => z.strictObject({}) },
  { kind: 'beeper', settings: () => z.strictObject({}) },
] as const;
