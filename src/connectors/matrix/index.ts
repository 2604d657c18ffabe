import { defineConnector } from '../connector.ts';
import { matrixSettings } from './settings.ts';

export const matrix = defineConnector({
  kind: 'matrix',
  settings: matrixSettings,
  async *login(settings, host) {
    const { login } = await import('./connection.ts');
    return yield* login(settings, host);
  },
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
