import { fileURLToPath } from 'node:url';
import type { Standpoint } from './agentmail/agent.ts';
import type { Inside, World } from './agentmail/command/command.ts';
import { isCommand, runAgentmail } from './agentmail/command/run.ts';
import { createLoopGuard } from './agentmail/loop-guard.ts';
import { ownHints } from './agentmail/ways.ts';
import { systemClock } from './lib/clock.ts';
import { workingDirectory } from './lib/working-directory.ts';

/** Whether `switchboard agentmail …` is the same as `agentmail …`. Some of it is not, such as a search in everybody's mail. */
export function isOfAgentmail([word]: readonly string[]): boolean {
  return word === undefined || isCommand(word);
}

export async function runAgentmailProgram(args: readonly string[]): Promise<number> {
  return runAgentmail(args, world());
}

function world(): World {
  const { TMUX, TMUX_PANE } = process.env;
  return {
    origin: {
      pid: process.pid,
      cwd: workingDirectory(),
      ...(TMUX === undefined ? {} : { tmux: TMUX }),
      ...(TMUX_PANE === undefined ? {} : { tmuxPane: TMUX_PANE }),
    },
    self: [...process.argv.slice(0, 2), ...(process.argv[2] === 'agentmail' ? ['agentmail'] : [])],
    async post({ quiet } = { quiet: false }) {
      const { createPostOffice } = await import('./agentmail/post-office.ts');
      return createPostOffice({
        clock: systemClock,
        guard: createLoopGuard({ env: process.env, onStop: tellOfLoop }),
        hints: () => ownHints(process.env),
        ...(quiet ? { warn: () => {} } : {}),
      });
    },
    serveMcp,
  };
}

async function tellOfLoop({ me, places }: Standpoint, words: string): Promise<void> {
  const { leaveToMailman, showToPeople } = await import('./agentmail/mailman/tell-human.ts');
  const socket = process.env.TMUX?.split(',')[0];
  await leaveToMailman(places.main, async () => {
    if (socket && me.pane !== undefined) await showToPeople(socket, me.pane, words);
  });
}

/** A shim as `switchboard mcp --only agentmail` is one, but one that ends with its pane. */
async function serveMcp(args: readonly string[], { socket, me, panePid }: Inside): Promise<number> {
  const { watchPane } = await import('./agentmail/pane-watch.ts');
  watchPane({ socket, pane: me.pane ?? '', pid: panePid }, () => {
    process.stderr.write('agentmail: the tmux session has ended.\n');
    process.exit(1);
  });
  const line = ['mcp', '--only', 'agentmail', ...args];
  const { shimOptions } = await import('./shim/line.ts');
  const options = shimOptions(line, process.env, programBeside());
  if (options) {
    const { runShim } = await import('./shim/run.ts');
    const served = await runShim(options);
    if (typeof served === 'number') return served;
    line.push('--embedded', ...(served.session === undefined ? [] : ['--session', served.session]));
  }
  const { run } = await import('./cli/run.ts');
  return run(line);
}

/** What a daemon is started from: the program that this one was built with. */
function programBeside(): string {
  const built = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(built ? './cli.js' : './main.ts', import.meta.url));
}
