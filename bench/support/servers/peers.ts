import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender, Setting } from './contender.ts';

const PEERS = { 'mcp-proxy': '6.7.19', supergateway: '4.0.0', 'mcp-hub': '4.2.1', mcporter: '0.12.3' };
type Peer = keyof typeof PEERS;

/** Beside what else the checkout downloads; never a dependency of ours. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', '.cache', 'bench-servers');

/** Installs the gateways that are compared, where they are not there yet. */
export function installPeers(): void {
  if (Object.keys(PEERS).every((name) => isInstalled(name as Peer))) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true }));
  const packages = Object.entries(PEERS).map(([name, version]) => `${name}@${version}`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--save-exact'];
  const { status } = spawnSync('npm', ['install', ...options, ...packages], { cwd: FOLDER, stdio: 'ignore' });
  if (status !== 0) console.error('The gateways to compare with could not be installed.');
}

function isInstalled(name: Peer): boolean {
  return manifestOf(name)?.version === PEERS[name];
}

function manifestOf(name: Peer): { version: string; bin: string | Record<string, string> } | undefined {
  const file = join(FOLDER, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The path of its program; one that is not installed fails when it is started. */
function programOf(name: Peer): string {
  const bin = manifestOf(name)?.bin ?? '';
  return join(FOLDER, 'node_modules', name, typeof bin === 'string' ? bin : (bin[name] ?? ''));
}

/** Gateways of others, each as its documentation describes, in front of the program `echo`. */
export function peerContenders(echo: string): Contender[] {
  const titled = (name: Peer, door: string) => `${name} ${PEERS[name]}, ${door}`;
  const command = [process.execPath, echo, 's0'];

  function mcpProxy({ port, folder }: Setting) {
    const options = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
    return { args: [programOf('mcp-proxy'), ...options, '--', ...command], env: { HOME: folder } };
  }

  function supergateway({ port, folder }: Setting) {
    const options = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none', '--port', String(port)];
    return { args: [programOf('supergateway'), '--stdio', command.join(' '), ...options], env: { HOME: folder } };
  }

  function mcpHub({ upstreams, port, folder }: Setting) {
    const config = writeConfig(folder, echo, upstreams);
    return { args: [programOf('mcp-hub'), '--port', String(port), '--config', config], env: homeIn(folder) };
  }

  function mcporter({ upstreams, folder }: Setting, ...door: string[]) {
    const config = writeConfig(folder, echo, upstreams, { lifecycle: 'keep-alive' });
    return { args: [programOf('mcporter'), '--config', config, 'serve', ...door], env: homeIn(folder) };
  }

  return [
    {
      ...{ id: 'mcporter-stdio', title: titled('mcporter', 'stdio'), kind: 'peer', door: 'stdio', isForMany: true },
      launch: (setting) => mcporter(setting, '--stdio'),
    },
    {
      ...{ id: 'mcporter', title: titled('mcporter', 'session'), kind: 'peer', door: 'session', isForMany: true },
      launch: (setting) => mcporter(setting, '--http', String(setting.port)),
    },
    {
      ...{ id: 'mcp-proxy', title: titled('mcp-proxy', 'session'), kind: 'peer', door: 'session', isForMany: false },
      launch: mcpProxy,
    },
    {
      ...{ id: 'supergateway', title: titled('supergateway', 'session'), kind: 'peer', door: 'session' },
      isForMany: false,
      launch: supergateway,
    },
    {
      ...{ id: 'mcp-hub', title: titled('mcp-hub', 'SSE'), kind: 'peer', door: 'sse', isForMany: true },
      launch: mcpHub,
    },
    {
      ...{ id: 'mcp-proxy-stateless', title: titled('mcp-proxy', 'stateless'), kind: 'peer', door: 'stateless' },
      isForMany: false,
      launch: mcpProxy,
    },
  ];
}

function homeIn(folder: string): Record<string, string> {
  return {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_STATE_HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CACHE_HOME: folder,
  };
}

function writeConfig(folder: string, echo: string, upstreams: number, more: object = {}): string {
  const servers = Array.from({ length: upstreams }, (_, number) => [
    `s${number}`,
    { command: process.execPath, args: [echo, `s${number}`], ...more },
  ]);
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  return file;
}
