import type { Origin } from '../../domain/origin.ts';
import type { Peer } from '../agent.ts';
import { ancestorsOf, type ListProcesses, listProcesses } from './ancestors.ts';
import { socketsAbove } from './servers.ts';
import { allPanes, type Pane, panesBeside, type RunTmux, TmuxFailure, tmux } from './tmux.ts';

/** Several servers may have to be queried, and one that hangs is not ours. */
const OTHER_SERVER_TIMEOUT_MS = 1_000;

/** Where in tmux a process runs. */
export type TmuxLocation =
  | {
      kind: 'inside';
      socket: string;
      /** The first process of our pane. */
      panePid: number;
      me: Peer;
      peers: readonly Peer[];
    }
  /** It is in no pane of any tmux server. */
  | { kind: 'outside' }
  /** Its environment names tmux, but its pane cannot be found. */
  | { kind: 'lost'; cause: string };

interface Found {
  socket: string;
  /** Panes of its session, and perhaps of others. */
  panes: readonly Pane[];
  own: Pane;
}

/**
 * The environment is used if tmux confirms it. If a program was started without its environment, the pane
 * is the one whose first process is among its ancestors.
 */
export async function tmuxLocationOf(
  origin: Origin,
  run: RunTmux = tmux,
  list: ListProcesses = listProcesses,
): Promise<TmuxLocation> {
  const socket = origin.tmux?.split(',')[0];
  if (!socket) {
    const found = await findAmongParents(origin.pid, run, list);
    return found ? inside(found) : { kind: 'outside' };
  }
  if (origin.tmuxPane && !/^%\d+$/.test(origin.tmuxPane)) return lost('TMUX_PANE contains invalid format');
  try {
    const named = origin.tmuxPane ? await findNamed(socket, origin.tmuxPane, run) : undefined;
    const server = serverIn(origin.tmux);
    if (named && named.own.serverPid === server) return inside(named);
    // If another server has replaced the one that started us, `%3` is a different pane.
    const found = (await findAmongParents(origin.pid, run, list)) ?? (server === undefined ? named : undefined);
    if (found) return inside(found);
    return lost(named ? 'the tmux server in TMUX is gone' : 'TMUX_PANE environment variable not set');
  } catch (thrown) {
    if (thrown instanceof TmuxFailure) return lost(thrown.message);
    throw thrown;
  }
}

function lost(cause: string): TmuxLocation {
  return { kind: 'lost', cause };
}

async function findNamed(socket: string, pane: string, run: RunTmux): Promise<Found> {
  const panes = await panesBeside(socket, pane, run);
  const own = panes.find(({ id }) => id === pane);
  if (!own) throw new TmuxFailure('exit status 1');
  return { socket, panes, own };
}

/** The server's pid in `TMUX`: socket, server, session. It may be missing. */
function serverIn(tmux: string | undefined): number | undefined {
  return Number(tmux?.split(',')[1]) || undefined;
}

async function findAmongParents(pid: number, run: RunTmux, list: ListProcesses): Promise<Found | undefined> {
  const ancestors = await ancestorsOf(pid, list);
  const pids = new Set(ancestors.map((each) => each.pid));
  const [first, ...others] = socketsAbove(ancestors);
  if (first === undefined) return undefined;
  const found = await findOn(first, pids, run);
  if (found) return found;
  const withTimeout: RunTmux = (socket, args) => run(socket, args, { timeoutMs: OTHER_SERVER_TIMEOUT_MS });
  const rest = await Promise.all(others.map((socket) => findOn(socket, pids, withTimeout)));
  return rest.find((each) => each !== undefined);
}

async function findOn(socket: string, ancestors: ReadonlySet<number>, run: RunTmux): Promise<Found | undefined> {
  try {
    const panes = await allPanes(socket, run);
    const own = panes.find((pane) => ancestors.has(pane.pid));
    return own && { socket, panes, own };
  } catch (thrown) {
    if (thrown instanceof TmuxFailure) return undefined;
    throw thrown;
  }
}

function inside({ socket, panes, own }: Found): TmuxLocation {
  const windows = Map.groupBy(
    panes.filter(({ session }) => session === own.session),
    ({ window }) => window,
  );
  const peers = [...windows.values()].map((of) => toPeer(of, own));
  const me = peers.find(({ isCurrent }) => isCurrent) ?? toPeer([own], own);
  return { kind: 'inside', socket, panePid: own.pid, me, peers };
}

function toPeer(panes: readonly Pane[], own: Pane): Peer {
  const isCurrent = panes.some(({ window }) => window === own.window);
  const shown = isCurrent ? own : (panes.find(({ isActive }) => isActive) ?? panes[0] ?? own);
  return {
    name: shown.windowName,
    isCurrent,
    window: shown.windowKey,
    pane: shown.id,
    ...(shown.folder ? { folder: shown.folder } : {}),
  };
}
