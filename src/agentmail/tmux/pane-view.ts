import type { Screen } from './prompt.ts';
import { TmuxFailure, tmux } from './tmux.ts';

/** What is known of a pane before something is typed into it. */
export interface PaneView {
  screen: Screen;
  /** Its first process. */
  pid: number;
  tty: string;
  width: number;
  /** Whether the program draws on the alternate screen. */
  isAlternate: boolean;
  /** Name of the foreground process, as tmux knows it. */
  command: string;
  /** Why typed text would not arrive, whichever program runs. */
  obstacle?: PaneObstacle;
}

export type PaneObstacle = (typeof OBSTACLES)[number];

const FIELDS = [
  'pane_pid',
  'pane_tty',
  'pane_width',
  'alternate_on',
  'cursor_x',
  'cursor_y',
  'pane_in_mode',
  'pane_dead',
  'pane_input_off',
  'pane_synchronized',
  'pane_current_command',
];

/** In the order of the flags above. */
const OBSTACLES = ['copy-mode', 'pane-dead', 'input-off', 'synchronized'] as const;

/** A consistent view of a pane: tmux runs nothing else between the commands of one call. Undefined if it was closed. */
export async function viewPane(socket: string, pane: string): Promise<PaneView | undefined> {
  const format = FIELDS.map((field) => `#{${field}}`).join(' ');
  const commands = ['display-message', '-p', '-t', pane, format, ';', 'capture-pane', '-e', '-p', '-t', pane];
  try {
    return toView(await tmux(socket, commands));
  } catch (thrown) {
    if (thrown instanceof TmuxFailure) return undefined;
    throw thrown;
  }
}

function toView(output: string): PaneView {
  const [head = '', ...lines] = output.replace(/\n$/, '').split('\n');
  const [pid, tty = '', width, alternate, x, y, ...others] = head.split(' ');
  const obstacle = OBSTACLES.find((_, at) => others[at] === '1');
  return {
    screen: { capture: lines.join('\n'), cursorX: Number(x), cursorY: Number(y) },
    pid: Number(pid),
    tty,
    width: Number(width),
    isAlternate: alternate === '1',
    command: others.slice(OBSTACLES.length).join(' '),
    ...(obstacle === undefined ? {} : { obstacle }),
  };
}

/** Whether the user has pressed a key in this pane within so many seconds. */
export async function isPersonTyping(
  socket: string,
  pane: string,
  withinSeconds: number,
  now: number,
): Promise<boolean> {
  const format = '#{client_activity} #{client_control_mode} #{client_readonly} #{pane_id}';
  const lines = (await tmux(socket, ['list-clients', '-F', format])).split('\n').map((line) => line.split(' '));
  return lines.some(
    ([activity, control, readonly, at]) =>
      at === pane && control === '0' && readonly === '0' && now / 1_000 - Number(activity) <= withinSeconds,
  );
}
