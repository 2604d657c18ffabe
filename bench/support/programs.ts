import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './process.ts';
import { READING_CALLS, type ToolCall } from './tool-definitions.ts';

/** One that takes part: how it is started on each transport, and what is asked of it. */
export interface Contender {
  id: 'bare' | 'sdk' | 'ours' | 'shipped';
  title: string;
  stdio: Program;
  http: Program;
  /** Where each era of the protocol is answered over HTTP. */
  paths: { session: string; stateless: string };
  calls: readonly ToolCall[];
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Builds all contenders into a folder of their own, which is gone when this process ends. */
export function prepareContenders(): readonly Contender[] {
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

function contendersIn(folder: string): readonly Contender[] {
  const file = (name: string) => join(folder, name);
  const constants = file('constant-results.json');
  const oneAddress = { session: '/mcp', stateless: '/mcp' };
  return [
    {
      id: 'bare',
      title: 'bare loop',
      stdio: { args: [file('bare-stdio.mjs'), constants] },
      http: { args: [file('bare-http.mjs'), constants] },
      paths: oneAddress,
      calls: READING_CALLS,
    },
    {
      id: 'sdk',
      title: 'SDK alone',
      stdio: { args: [file('sdk-stdio.mjs')] },
      http: { args: [file('sdk-http.mjs')] },
      paths: { session: '/mcp', stateless: '/stateless' },
      calls: READING_CALLS,
    },
    {
      id: 'ours',
      title: 'Switchboard',
      ...switchboard(file('thirty-tools/cli.js'), file('home-ours'), ['--only', 'bench']),
      paths: oneAddress,
      calls: READING_CALLS,
    },
    {
      id: 'shipped',
      title: 'as shipped',
      ...switchboard(join(ROOT, 'dist', 'cli.js'), file('home-shipped'), []),
      paths: oneAddress,
      calls: [{ name: 'switchboard_status', arguments: {} }],
    },
  ];
}

function switchboard(program: string, home: string, options: readonly string[]): Pick<Contender, 'stdio' | 'http'> {
  const on = (transport: string, ...more: string[]): Program => ({
    args: [program, 'mcp', ...more, ...options],
    env: { SWITCHBOARD_HOME: `${home}-${transport}` },
  });
  return { stdio: on('stdio', '--embedded'), http: on('http', '--port', '0') };
}
