import { z } from 'zod';
import { file, formatted } from '../../settings.ts';

export function signalSettings() {
  return z.strictObject({
    account: z
      .string()
      .optional()
      .describe('Phone number, in quotes: `"+15550100"`; default: the only account of signal-cli.'),
    endpoint: formatted('tcp://HOST:PORT, unix:/PATH or http://HOST:PORT', isEndpoint)
      .optional()
      .describe('Address of a running signal-cli: `tcp://127.0.0.1:7583`. Default: Switchboard starts signal-cli.'),
    program: file().optional().describe('Path of signal-cli, if it is not on PATH.'),
    data: file().optional().describe('Data folder of signal-cli; default: its own.'),
    folder: file().default('signal').describe('Folder for received messages until they are stored.'),
  });
}

export type SignalSettings = z.output<ReturnType<typeof signalSettings>>;

function isEndpoint(text: string): boolean {
  if (/^unix:(?:\/\/)?\/./.test(text)) return true;
  return /^(?:tcp|https?):\/\//.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}
