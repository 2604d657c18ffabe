import { defineConnector } from '../connector.ts';
import { ircSettings } from './settings.ts';

/** IRC, with the extensions of IRCv3 where a server has them. */
export const irc = defineConnector({
  kind: 'irc',
  settings: ircSettings,
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
