import { fileURLToPath } from 'node:url';
import { isPaneThere, watchPane } from './agentmail/tmux/pane-watch.ts';
import type { Inside } from './agentmail/tmux/tmux-location.ts';

/** A shim like `switchboard mcp --only agentmail`, but one that ends with its pane. */
export async function serveMcp(args: readonly string[], where?: Inside): Promise<number> {
  const line = ['mcp', '--only', 'agentmail', ...args];
  if (!where) return serve(line);
  const { socket, me, panePid } = where;
  const pane = { socket, pane: me.pane ?? '', pid: panePid };
  watchPane(pane, () => {
    process.stderr.write('agentmail: the tmux session has ended.\n');
    process.exit(1);
  });
  const code = await serve(line);
  // A client that ended together with its session closes the connection first.
  return code === 0 && !(await isPaneThere(pane)) ? 1 : code;
}

async function serve(line: readonly string[]): Promise<number> {
  const { shimOptions } = await import('./shim/line.ts');
  const options = shimOptions(line, process.env, programBeside());
  let embedded: readonly string[] = [];
  if (options) {
    const { runShim } = await import('./shim/run.ts');
    const served = await runShim(options);
    if (typeof served === 'number') return served;
    embedded = ['--embedded', ...(served.session === undefined ? [] : ['--session', served.session])];
  }
  const { run } = await import('./cli/run.ts');
  return run([...line, ...embedded]);
}

/** The program that a daemon is started from: the one that this was built with. */
function programBeside(): string {
  const isBuilt = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(isBuilt ? './cli.js' : './main.ts', import.meta.url));
}
