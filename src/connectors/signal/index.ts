import { defineConnector } from '../connector.ts';
import { signalSettings } from './settings.ts';

export const signal = defineConnector({
  kind: 'signal',
  settings: signalSettings,
  async *login(settings, host) {
    const { login } = await import('./connection.ts');
    return yield* login(settings, host);
  },
  logout: async (settings, host) => (await import('./connection.ts')).logout(settings, host),
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
