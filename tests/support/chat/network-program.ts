import { join } from 'node:path';
import { after, before } from 'node:test';
import type { JsonObject } from '../../../src/domain/json.ts';
import { removeHome, type Shim, startShim } from '../mcp/shim-program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { writeConfig } from './live-home.ts';
import { callTool } from './network-rows.ts';

interface NetworkParts<Network> {
  /** Starts the network. */
  open(): Promise<Network>;
  /** The sources of the configuration. */
  sources(world: Network, home: string): Record<string, object>;
}

/** The built program with sources of a network and an agent behind a shim, for the tests of a suite. */
export function networkProgram<Network extends { close(): Promise<void> }>({ open, sources }: NetworkParts<Network>) {
  const home = join(temporaryFolder(after), 'home');
  let started: { world: Network; shim: Shim } | undefined;
  before(async () => {
    const world = await open();
    writeConfig(home, { sources: sources(world, home), daemon: { idle_exit_ms: 1_000 } });
    const shim = startShim({ home });
    started = { world, shim };
    await shim.initialize();
  });
  after(async () => {
    await started?.shim.stop();
    removeHome(home);
    await started?.world.close();
  });

  const parts = () => {
    if (!started) throw new Error('The program is started before the first test.');
    return started;
  };
  const call = (name: string, args: object = {}) => callTool(parts().shim, name, args);
  return {
    home,
    get world() {
      return parts().world;
    },
    get shim() {
      return parts().shim;
    },
    call,
    messages: async (args: object) =>
      (await call('get_messages', { source: 'work', ...args })).messages as JsonObject[],
  };
}
