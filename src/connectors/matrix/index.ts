import { defineConnector } from '../connector.ts';
import { matrixSettings } from './settings.ts';

export const matrix = defineConnector({
  kind: 'matrix',
  settings: matrixSettings,
  open: async (settings, host) => (await import('./connection.ts')).openConnection(settings, host),
});
