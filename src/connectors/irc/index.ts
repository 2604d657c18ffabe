import { defineConnector } from '../connector.ts';
import { ircSettings } from './settings.ts';

/** IRC, with IRCv3 extensions if the server supports them. */
export const irc = defineConnector({
  kind: 'irc',
  settings: ircSettings,
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
