/** Prints its tmux location. */
import { tmuxLocationOf } from '../../../src/agentmail/tmux/tmux-location.ts';

const { TMUX, TMUX_PANE } = process.env;
const where = await tmuxLocationOf({
  pid: process.pid,
  cwd: process.cwd(),
  ...(TMUX === undefined ? {} : { tmux: TMUX }),
  ...(TMUX_PANE === undefined ? {} : { tmuxPane: TMUX_PANE }),
});
process.stdout.write(JSON.stringify(where));
