import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../connectors/contract.ts';
import { freePort } from '../free-port.ts';
import { ircWorld } from '../irc/irc-world.ts';
import { matrixWorld } from '../matrix/matrix-world.ts';
import { removeHome, until } from '../mcp/shim-program.ts';
import { runProgram } from '../program.ts';

export interface LiveHome {
  home: string;
  irc: World;
  matrix: World;
  stop(): Promise<void>;
}

/**
 * A home with an IRC and a Matrix source, both of alice; one that is not signed in, one that cannot be connected, and one
 * whose server does not exist.
 */
export async function startLiveHome(home: string): Promise<LiveHome> {
  const irc = await ircWorld();
  const matrix = await matrixWorld();
  writeConfig(home, {
    sources: {
      libera: { kind: 'irc', name: 'Libera', ...irc.settings },
      work: { kind: 'matrix', name: 'Work', ...matrix.settings },
      telegram: { kind: 'telegram', name: 'Telegram', api_id: 1, api_hash: 'a-hash-of-the-api' },
      old: { kind: 'archive', name: 'Old' },
      nowhere: { kind: 'irc', name: 'Nowhere', host: '127.0.0.1', port: await freePort(), tls: false, nick: 'alice' },
    },
    daemon: { idle_exit_ms: 1_000 },
  });
  return {
    home,
    irc,
    matrix,
    async stop() {
      removeHome(home);
      await irc.close();
      await matrix.close();
    },
  };
}

/** JSON is valid YAML. The file is replaced atomically. */
export function writeConfig(home: string, config: object): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = join(home, 'config.yaml');
  writeFileSync(`${path}.new`, JSON.stringify(config, undefined, 2), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The output of `chat sources`, by source id. */
export async function sourcesOf(home: string): Promise<Record<string, SourceSeen>> {
  const { stdout, stderr } = await runProgram(['chat', 'sources', '--json'], { home });
  if (stdout === '') throw new Error(stderr);
  const { sources } = JSON.parse(stdout) as { sources: SourceSeen[] };
  return Object.fromEntries(sources.map((source) => [source.id, source]));
}

export interface SourceSeen {
  id: string;
  is_connected: boolean;
  state: string;
  messages: number;
  problem?: string;
  how_to_connect?: string;
  stale_since?: string;
}

/** Waits until these sources are connected; starts a daemon. */
export async function connected(home: string, ...ids: string[]): Promise<void> {
  await until(`${ids} connected`, async () => {
    const sources = await sourcesOf(home);
    return ids.every((id) => sources[id]?.is_connected);
  });
}
