import { z } from 'zod';
import { defineConnector } from '../../../../../src/connectors/connector.ts';
import { secret } from '../../../../../src/settings.ts';

/** A fictional network that echoes every sent message. */
export const pigeon = defineConnector({
  kind: 'pigeon',
  settings: () =>
    z.strictObject({
      loft: z.string().describe('Where the pigeons live.'),
      whistle: secret().optional().describe('Calls the pigeons.'),
    }),
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
