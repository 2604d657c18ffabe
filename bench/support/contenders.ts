import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './process.ts';
import { READING_CALLS, type ToolCall } from './tool-definitions.ts';

/** A program that is measured: how it is started, and which calls are made. */
export interface Contender {
  id: string;
  title: string;
  stdio: Program;
  /** With the path of each protocol version. */
  http?: Program & { session: string; stateless: string };
  /** Stops the daemon that it leaves running. */
  stop?: Program;
  calls: readonly ToolCall[];
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Builds all contenders into a folder that is removed when this process ends. */
export function prepareContenders() {
  // Inside node_modules, so that the peers find their packages.
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const built = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs'), folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (built.status !== 0) throw new Error('What is to be measured could not be built.');
  return contendersIn(folder);
}

function contendersIn(folder: string) {
  const file = (name: string) => join(folder, name);
  const constants = file('constant-results.json');
  const ours = switchboard(file('thirty-tools/cli.js'), file('home'), ['--only', 'bench']);
  const shipped = switchboard(join(ROOT, 'dist', 'cli.js'), file('home-shipped'), []);
  return {
    /** The lower bound. */
    bare: {
      id: 'bare',
      title: 'bare loop',
      stdio: { args: [file('bare-stdio.mjs'), constants] },
      http: { args: [file('bare-http.mjs'), constants], session: '/', stateless: '/' },
      calls: READING_CALLS,
    },
    /** The peer. */
    sdk: {
      id: 'sdk',
      title: 'SDK alone',
      stdio: { args: [file('sdk-stdio.mjs')] },
      http: { args: [file('sdk-http.mjs')], session: '/session', stateless: '/stateless' },
      calls: READING_CALLS,
    },
    /** The lower bound of a shim: a process in front of the peer that only forwards bytes. */
    relay: {
      id: 'relay',
      title: 'SDK, relayed',
      stdio: { args: [file('relayed-stdio.mjs'), file('sdk-stdio.mjs')] },
      calls: READING_CALLS,
    },
    /** Everything in one process. */
    embedded: {
      id: 'embedded',
      title: 'embedded',
      stdio: ours('embedded', '--embedded'),
      http: { ...ours('http', '--port', '0'), session: '/mcp', stateless: '/mcp' },
      calls: READING_CALLS,
    },
    /** A shim in front of a running daemon. */
    shim: {
      id: 'shim',
      title: 'shim',
      stdio: ours('shim'),
      stop: ours.stop('shim'),
      calls: READING_CALLS,
    },
    /** The same with variables of ours in the environment, which it compares with those of the daemon. */
    configured: {
      id: 'configured',
      title: 'shim, variables',
      stdio: { ...ours('shim'), env: { ...ours('shim').env, SWITCHBOARD_LOG_LEVEL: 'warn' } },
      calls: READING_CALLS,
    },
    /** The same, but the daemon has to be started first. */
    cold: {
      id: 'cold',
      title: 'shim, cold',
      stdio: ours('cold'),
      stop: ours.stop('cold'),
      calls: READING_CALLS,
    },
    /** The product with its own tools, of which one is called. */
    shipped: {
      id: 'shipped',
      title: 'as shipped',
      stdio: shipped('embedded', '--embedded'),
      http: { ...shipped('http', '--port', '0'), session: '/mcp', stateless: '/mcp' },
      calls: [{ name: 'switchboard_status', arguments: {} }],
    },
  } satisfies Record<string, Contender>;
}

/** Commands of one build of ours, each with its own home. */
function switchboard(program: string, home: string, options: readonly string[]) {
  const inHome = (name: string, args: readonly string[]): Program => ({
    args: [program, ...args],
    env: { SWITCHBOARD_HOME: `${home}-${name}` },
  });
  return Object.assign((name: string, ...how: string[]) => inHome(name, ['mcp', ...how, ...options]), {
    stop: (name: string) => inHome(name, ['daemon', 'stop']),
  });
}
