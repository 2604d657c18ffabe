import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startHttp } from '../mcp/mcp-program.ts';
import { removeHome } from '../mcp/shim-program.ts';
import { programEnvironment, programPath, runProgram } from '../program.ts';
import { type ClientEra, connectFeatureClient } from './feature-client.ts';
import { startHttpProgram } from './upstream-connection.ts';

export interface Upstream {
  transport: 'stdio' | 'http';
  era: ClientEra;
}

const FEATURES_PROGRAM = join(import.meta.dirname, 'upstream-features.ts');

/** The program with a home of its own: clients reach it over HTTP, and over stdio by a shim. */
export async function startFeatureProgram(home: string, env: Record<string, string> = {}) {
  mkdirSync(home, { recursive: true });
  const settings = { SWITCHBOARD_SERVERS__TOOL_BUDGET: '10000', ...env };
  const program = await startHttp({ home, env: settings });

  const remotes: AsyncDisposable[] = [];

  async function command(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram(args, { home, env: settings });
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  return {
    ...program,
    home,
    settings,
    command,
    /** Adds the server that has every feature, and waits until it runs. */
    async addFeatures(name: string, upstream: Upstream, options: readonly string[] = ['--trusted']): Promise<void> {
      const own = ['--name', name, '--dir', home];
      const add = ['servers', 'add', name, '--protocol', upstream.era, ...options];
      if (upstream.transport === 'stdio') {
        await command(...add, '--binary', process.execPath, '--', FEATURES_PROGRAM, ...own);
      } else {
        const remote = await startHttpProgram('upstream-features.ts', [...own, '--port', '0', '--era', upstream.era]);
        remotes.push(remote);
        await command(...add, '--http', remote.url);
      }
      await command('servers', 'start', name);
    },
    /** A client of the official SDK. */
    connect(transport: 'stdio' | 'http', era: ClientEra) {
      // Node writes coverage data at exit; a client does not wait for that.
      const { NODE_V8_COVERAGE: _, ...own } = programEnvironment({ home, env: settings });
      return connectFeatureClient(
        era,
        transport === 'http'
          ? new StreamableHTTPClientTransport(new URL(program.url))
          : new StdioClientTransport({ command: process.execPath, args: [programPath, 'mcp'], env: own }),
      );
    },
    async close(): Promise<void> {
      await program.stop();
      for (const remote of remotes) await remote[Symbol.asyncDispose]();
      removeHome(home);
    },
  };
}

export type FeatureProgram = Awaited<ReturnType<typeof startFeatureProgram>>;
