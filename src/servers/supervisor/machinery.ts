import type { SecretGroups } from '../../capability.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { version } from '../../lib/version.ts';
import { createLoginDialogs } from '../oauth/login-dialogs.ts';
import { createServerOAuth } from '../oauth/server-oauth.ts';
import { createGuard } from '../process/guard.ts';
import { createLeftovers } from '../process/leftovers.ts';
import { createServerOutput } from '../process/output.ts';
import type { ServerOutput } from '../process/server-process.ts';
import type { ServersSettings } from '../settings.ts';
import { createConnect } from './connect-server.ts';
import { createManagedServer } from './managed-server.ts';

interface MachineryParts {
  home: string;
  clock: Clock;
  log: Log;
  secrets(): Promise<SecretGroups>;
  mask(text: string): string;
  settings(): ServersSettings['servers'];
}

/** What starts servers and connects to them; loaded when there is one. */
export async function createMachinery({ home, clock, log, secrets, mask, settings }: MachineryParts) {
  const outputs = new Map<string, ServerOutput>();
  const oauth = createServerOAuth({ secrets: await secrets(), clock, log });
  const guard = createGuard({ home });
  const dialogs = createLoginDialogs(oauth);

  function outputOf({ id }: Pick<ServerConfig, 'id'>): ServerOutput {
    const known = outputs.get(id) ?? createServerOutput({ clock, mask });
    outputs.set(id, known);
    return known;
  }

  const leftovers = createLeftovers({ home });
  const connect = createConnect({
    home,
    env: process.env,
    secrets,
    oauth,
    guard,
    outputOf,
    clientInfo: { name: 'switchboard', version: version() },
    limits: () => ({
      handshakeTimeoutMs: settings().handshake_timeout_ms,
      stopTimeoutMs: settings().stop_timeout_ms,
      maxResultBytes: settings().max_result_bytes,
    }),
  });

  return {
    createManagedServer,
    outputOf,
    async connect(...[config, ...args]: Parameters<typeof connect>) {
      await leftovers.sweep();
      if (config.transport.type === 'stdio') leftovers.expect();
      return connect(config, ...args);
    },
    logins: { begin: dialogs.begin, resume: dialogs.resume, logout: oauth.logout, status: oauth.status },
    sweep: leftovers.sweep,
    async close(): Promise<void> {
      dialogs.stop();
      if (await guard.close()) leftovers.none();
    },
  };
}

export type ServerLogins = Awaited<ReturnType<typeof createMachinery>>['logins'];
