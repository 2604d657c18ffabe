import { defineConnector } from '../connector.ts';
import { beeperSettings } from './settings.ts';

export const beeper = defineConnector({
  kind: 'beeper',
  settings: beeperSettings,
  async *login(settings, host) {
    const { login } = await import('./connection.ts');
    return yield* login(settings, host);
  },
  logout: async (settings, host) => (await import('./connection.ts')).logout(settings, host),
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
