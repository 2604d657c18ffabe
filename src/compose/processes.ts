import { join } from 'node:path';
import type { ServeHttpOptions, ServeStdioOptions } from '../cli/composition.ts';
import type { Program } from '../compose.ts';
import { followConfig } from '../config/follow-config.ts';
import { ensureHome } from '../config/home.ts';
import { takeHomeLock } from '../daemon/home-lock.ts';
import { startHousekeeping } from '../daemon/housekeeping.ts';
import { ownOrigin } from '../daemon/origin.ts';
import { type OwnedProgram, own } from '../daemon/owner.ts';
import * as processes from '../daemon/processes.ts';
import type { OpenPort } from '../http/port.ts';
import type { OwnerKind } from '../lib/daemon-hello.ts';
import { logLevelOf } from '../lib/log.ts';
import { once } from '../lib/once.ts';
import { version } from '../lib/version.ts';
import { fileOfGroup, parseGroup } from '../secrets/names.ts';
import { type Doors, openDoors } from './doors.ts';

export function runDaemon(program: Program): Promise<number> {
  return processes.runDaemon(ownerProcess(program, 'auto'), async () => (await program.settings()).daemon);
}

export function serveStdio(program: Program, options: ServeStdioOptions): Promise<number> {
  const parts = ownerProcess(program, 'embedded');
  const { log } = program;
  return processes.serveStdio({ ...program, ...parts }, options, async (owner, session) => {
    const { mcp, serveOwnClient, local } = await parts.doors();
    if (session !== undefined) owner.hold(session);
    const setLogLevel = (level: string) => log.setLevel(logLevelOf(level) ?? 'info');
    const client = { principal: local(), origin: ownOrigin(), stop: owner.ending, setLogLevel, session };
    return serveOwnClient(mcp, { ...options, ...client });
  });
}

export function serveHttp(program: Program, options: ServeHttpOptions): Promise<number> {
  const parts = ownerProcess(program, 'serve');
  return processes.serveHttp(parts, {
    async openPort() {
      const { limits } = await program.settings();
      const { openPort } = await import('../http/port.ts');
      return openPort({ ...options, connectTimeoutMs: limits.connect_timeout_ms, log: program.log });
    },
    async serve(port) {
      if (options.demo) await program.addDemo();
      return openHttp(program, await parts.doors(), port, options);
    },
  });
}

function ownerProcess(program: Program, kind: OwnerKind) {
  const { home, log, clock, close } = program;
  const doors = once(() => openDoors(program, { servesHttp: kind === 'serve' }));
  const parts: processes.OwnerProcess = {
    home,
    log,
    async lockHome() {
      ensureHome(home);
      return takeHomeLock(home);
    },
    own: (options) =>
      own(async () => ownedProgram(program, await doors()), { home, kind, clock, log, close, ...options }),
  };
  return { ...parts, doors };
}

function ownedProgram(program: Program, { config, store, mcp, serveAttachedClient, local }: Doors): OwnedProgram {
  const { home, capabilities, clock, log, pipeline, running } = program;
  return {
    capabilities,
    helloTimeoutMs: config.current().limits.connect_timeout_ms,
    checkOffer: mcp.offer,
    serveClient: (socket, hello, how) => serveAttachedClient(mcp, { socket, hello, principal: local(), ...how }),
    call: program.callByName,
    follow: program.followByName,
    followConfig: () =>
      followConfig({ files: configFiles(home), config, read: program.readSettings, note: running.noteConfig, log }),
    configProblem: running.configProblem,
    startHousekeeping: (isHeld) =>
      startHousekeeping({
        sessions: store.sessions,
        retention: capabilities.flatMap(({ retention = [] }) => retention),
        clock,
        log,
        get sessionIdleMs() {
          return config.current().mcp.session_idle_ms;
        },
        isHeld: ({ id }) => isHeld(id),
      }),
    drain: pipeline.drain,
  };
}

function configFiles(home: string): readonly string[] {
  return [join(home, 'config.yaml'), join(home, 'secrets', fileOfGroup(parseGroup('shared')))];
}

async function openHttp(program: Program, doors: Doors, port: OpenPort, options: ServeHttpOptions) {
  const [{ openHttpDoor }, { authSettingsOf }, { createMcpHttpDoor }] = await Promise.all([
    import('../http/door.ts'),
    import('../http/tokens.ts'),
    import('../mcp/http-door.ts'),
  ]);
  const { config, store } = doors;
  const { allowed_hosts: allowedHosts, allowed_origins: allowedOrigins } = config.current().mcp;
  const { home, log } = program;
  if (options.token !== undefined) program.masker.add(options.token);
  const mcp = createMcpHttpDoor(doors.mcp, options);
  const http = await openHttpDoor({
    home,
    port,
    options: { host: options.host, allowedHosts, allowedOrigins, limits: () => config.current().limits },
    mcp,
    api: {
      ...program,
      store,
      version: version(),
      maxBodyBytes: () => config.current().limits.max_line_bytes,
      readOnly: options.readOnly,
    },
    authSettings: () => authSettingsOf(config.current(), options.token, program.factsOf),
    store,
    log,
  });
  config.onChange(['auth', 'mcp'], http.reconfigured);
  return { url: http.url, holds: mcp.holds, close: http.close };
}
