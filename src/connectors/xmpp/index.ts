import { defineConnector } from '../connector.ts';
import { xmppSettings } from './settings.ts';

export const xmpp = defineConnector({
  kind: 'xmpp',
  settings: xmppSettings,
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
