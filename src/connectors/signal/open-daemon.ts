import type { LoginHost } from '../connector.ts';
import type { Daemon, Listener } from './daemon.ts';
import { connectHttp } from './http-daemon.ts';
import { type SpoolLimits, startDaemon } from './process-daemon.ts';
import type { SignalSettings } from './settings.ts';
import { connectStream } from './stream-daemon.ts';

/** Connects to the signal-cli of the settings, or starts one. */
export async function openDaemon(
  settings: SignalSettings,
  host: Pick<LoginHost, 'source' | 'memory' | 'log'>,
  listener: Listener,
  signal: AbortSignal,
  limits?: SpoolLimits,
): Promise<Daemon> {
  const { endpoint } = settings;
  if (endpoint === undefined) return startDaemon(settings, host, listener, limits);
  if (/^https?:/.test(endpoint)) return connectHttp(endpoint, listener, signal);
  return connectStream(endpoint, listener, signal);
}
