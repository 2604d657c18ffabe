import { randomHex } from '../../lib/chance.ts';
import type { PaneView } from './pane-view.ts';
import { tmux } from './tmux.ts';

/** A pane, and how it was seen. */
export interface SeenPane {
  socket: string;
  pane: string;
  view: PaneView;
}

const DONE = 'done';

/** A bracketed paste, so that no character is taken for a command. False if the pane is not as it was seen. */
export async function pasteInto(seen: SeenPane, text: string): Promise<boolean> {
  const buffer = `agentmail-${randomHex(8)}`;
  const set = ['set-buffer', '-b', buffer, '--', text, ';'];
  return guarded(seen, set, `paste-buffer -p -d -b ${buffer} -t ${seen.pane}`, `delete-buffer -b ${buffer}`);
}

/** Keys by their tmux names. False if the pane is not as it was seen. */
export async function pressIn(seen: SeenPane, ...keys: readonly string[]): Promise<boolean> {
  return guarded(seen, [], `send-keys -t ${seen.pane} ${keys.join(' ')}`);
}

/** tmux checks and types within one command, with nothing in between. */
async function guarded(
  { socket, pane, view }: SeenPane,
  before: readonly string[],
  action: string,
  ...otherwise: readonly string[]
): Promise<boolean> {
  const condition = conditionOf(view);
  if (condition === undefined) return false;
  const command = ['if-shell', '-F', '-t', pane, condition, `${action} ; display-message -p ${DONE}`];
  return (await tmux(socket, [...before, ...command, ...otherwise])).trim() === DONE;
}

/** Undefined where the name of the program cannot be part of a format. */
function conditionOf({ pid, command, screen }: PaneView): string | undefined {
  if (!/^[\w.-]+$/.test(command)) return undefined;
  const values = {
    pane_pid: pid,
    pane_current_command: command,
    cursor_x: screen.cursorX,
    cursor_y: screen.cursorY,
    pane_in_mode: 0,
    pane_dead: 0,
    pane_input_off: 0,
    pane_synchronized: 0,
  };
  const tests = Object.entries(values).map(([name, value]) => `#{==:#{${name}},${value}}`);
  return tests.reduce((all, test) => `#{&&:${all},${test}}`);
}
