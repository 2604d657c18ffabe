import type { AgentContext } from './agentmail/agent.ts';
import { announce } from './agentmail/announced/announce.ts';
import type { World } from './agentmail/command/command.ts';
import { isCommand, runAgentmail } from './agentmail/command/run.ts';
import { createLoopGuard } from './agentmail/delivery/loop-guard.ts';
import { createPostOffice } from './agentmail/delivery/post-office.ts';
import { ownHints } from './agentmail/delivery/wake-methods.ts';
import { assistantMark } from './lib/assistant-marks.ts';
import { systemClock } from './lib/clock.ts';
import { homeOf } from './lib/home-path.ts';
import { workingDirectory } from './lib/working-directory.ts';

/**
 * Whether `switchboard agentmail …` is the same as `agentmail …`. Some commands are not, such as the search in all
 * agents' mail.
 */
export function isOfAgentmail([word]: readonly string[]): boolean {
  return word === undefined || isCommand(word);
}

export async function runAgentmailProgram(args: readonly string[]): Promise<number> {
  return runAgentmail(args, world());
}

function world(): World {
  const { TMUX, TMUX_PANE } = process.env;
  const assistant = assistantMark((name) => process.env[name]);
  return {
    origin: {
      pid: process.pid,
      cwd: workingDirectory(),
      ...(TMUX === undefined ? {} : { tmux: TMUX }),
      ...(TMUX_PANE === undefined ? {} : { tmuxPane: TMUX_PANE }),
      ...(assistant === undefined ? {} : { assistant }),
    },
    self: [...process.argv.slice(0, 2), ...(process.argv[2] === 'agentmail' ? ['agentmail'] : [])],
    async post({ quiet } = { quiet: false }) {
      return createPostOffice({
        clock: systemClock,
        guard: createLoopGuard({ env: process.env, onStop: tellOfLoop }),
        hints: () => ownHints(process.env),
        // Only for letters that claim to be the user's.
        isOwnLetter: async (proof) =>
          (await import('./agentmail/command/own-run.ts')).isOwnLetterOf(process.env, proof),
        ...(quiet ? { warn: () => {} } : {}),
      });
    },
    announce: (announcement) => announce(homeOf(process.env), announcement),
    async serveMcp(args, where) {
      const { serveMcp } = await import('./agentmail-mcp.ts');
      return serveMcp(args, where);
    },
  };
}

async function tellOfLoop({ me, mailFolders }: AgentContext, words: string): Promise<void> {
  const { leaveToMailman, showToPeople } = await import('./agentmail/mailman/tell-human.ts');
  const socket = process.env.TMUX?.split(',')[0];
  await leaveToMailman(mailFolders.main, async () => {
    if (socket && me.pane !== undefined) await showToPeople(socket, me.pane, words);
  });
}
