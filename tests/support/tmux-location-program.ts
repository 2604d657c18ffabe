/** Prints where in tmux it runs. */
import { whereaboutsOf } from '../../src/agentmail/tmux/tmux-location.ts';

const { TMUX, TMUX_PANE } = process.env;
const where = await whereaboutsOf({
  pid: process.pid,
  cwd: process.cwd(),
  ...(TMUX === undefined ? {} : { tmux: TMUX }),
  ...(TMUX_PANE === undefined ? {} : { tmuxPane: TMUX_PANE }),
});
process.stdout.write(JSON.stringify(where));
