import { TmuxFailure, tmux } from './tmux.ts';

/** The first process nearly always exits with its pane, and checking it is cheap. */
const LOOK_MS = 100;
const ASK_MS = 700;

interface WatchedPane {
  socket: string;
  pane: string;
  /** The pane's first process. */
  pid: number;
}

/** Calls back once, within a second after the pane was closed. Keeps no process alive. */
export function watchPane({ socket, pane, pid }: WatchedPane, onGone: () => void): void {
  const looking = setInterval(() => {
    if (!isAlive(pid)) gone();
  }, LOOK_MS).unref();
  const asking = setInterval(() => void ask(), ASK_MS).unref();
  process.once('SIGHUP', gone);
  let isOver = false;

  function gone(): void {
    if (isOver) return;
    isOver = true;
    clearInterval(looking);
    clearInterval(asking);
    onGone();
  }

  async function ask(): Promise<void> {
    if (!(await isPaneThere({ socket, pane, pid }))) gone();
  }
}

export async function isPaneThere({ socket, pane, pid }: WatchedPane): Promise<boolean> {
  if (!isAlive(pid)) return false;
  try {
    await tmux(socket, ['list-panes', '-t', pane]);
    return true;
  } catch (thrown) {
    // A server that does not answer in time may only be busy.
    return !(thrown instanceof TmuxFailure && thrown.message.startsWith('exit status'));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
