import type { Origin } from '../../domain/origin.ts';
import type { Peer } from '../agent.ts';
import { claimsUser } from '../user-name.ts';
import { type RunPs, runPs } from './ancestors.ts';
import { doubtAbout, explainDoubt } from './certainty.ts';
import { type ProcessFacts, processFacts } from './process-facts.ts';
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
  | { kind: 'lost'; cause: string }
  /** A pane was found, but another window may be the one that it works for. */
  | { kind: 'uncertain'; cause: string; hint: string };

export type Inside = Extract<TmuxLocation, { kind: 'inside' }>;

interface Found {
  socket: string;
  /** Panes of its session, and perhaps of others. */
  panes: readonly Pane[];
  own: Pane;
}

type Located = { kind: 'found'; found: Found } | Extract<TmuxLocation, { kind: 'outside' | 'lost' }>;

/**
 * Where a caller is, if that is certain: the identity of an agent is never guessed.
 */
export async function tmuxLocationOf(origin: Origin, run: RunTmux = tmux, ps: RunPs = runPs): Promise<TmuxLocation> {
  const pid = origin.peer ? origin.peer() : origin.pid;
  if (pid === undefined) return { kind: 'uncertain', ...UNKNOWN_PROCESS };
  const processes = processFacts(pid, ps);
  const located = await locate(origin, run, () => processes);
  if (located.kind !== 'found') return located;
  const { own } = located.found;
  if (claimsUser(own.windowName)) return { kind: 'uncertain', ...USERS_NAME };
  const doubt = doubtAbout(await processes, {
    panePid: own.pid,
    serverPid: own.serverPid,
    tmux: origin.tmux,
    pane: origin.tmuxPane,
    mark: origin.assistant,
  });
  return doubt ? { kind: 'uncertain', ...explainDoubt(doubt) } : inside(located.found);
}

/** The pane that a caller names or is started from, certain or not: for what does not depend on who it is. */
export async function namedLocationOf(origin: Origin, run: RunTmux = tmux, ps: RunPs = runPs): Promise<TmuxLocation> {
  const located = await locate(origin, run, () => processFacts(origin.peer?.() ?? origin.pid, ps));
  return located.kind === 'found' ? inside(located.found) : located;
}

const USERS_NAME = {
  cause: "this window has the user's name, which no agent can have",
  hint: 'Give it another one: tmux rename-window NAME. The user reads and answers with `switchboard chat`.',
};
const UNKNOWN_PROCESS = {
  cause: 'it is not certain which agent this is: the system does not report the calling process',
  hint: 'Install the optional packages of Switchboard again, without --omit=optional.',
};

/**
 * The environment is used if tmux confirms it. If a program was started without its environment, the pane
 * is the one whose first process is among its ancestors.
 */
async function locate(
  { tmux: variable, tmuxPane }: Origin,
  run: RunTmux,
  processes: () => Promise<readonly ProcessFacts[]>,
): Promise<Located> {
  const socket = variable?.split(',')[0];
  if (!socket) {
    const found = await findAmongParents(await processes(), run);
    return found ? { kind: 'found', found } : { kind: 'outside' };
  }
  if (tmuxPane && !/^%\d+$/.test(tmuxPane)) return lost('TMUX_PANE contains invalid format');
  try {
    const named = tmuxPane ? await findNamed(socket, tmuxPane, run) : undefined;
    const server = serverIn(variable);
    if (named && named.own.serverPid === server) return { kind: 'found', found: named };
    // If another server has replaced the one that started us, `%3` is a different pane.
    const found = (await findAmongParents(await processes(), run)) ?? (server === undefined ? named : undefined);
    if (found) return { kind: 'found', found };
    return lost(named ? 'the tmux server in TMUX is gone' : 'TMUX_PANE environment variable not set');
  } catch (thrown) {
    if (thrown instanceof TmuxFailure) return lost(thrown.message);
    throw thrown;
  }
}

function lost(cause: string): Located {
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

async function findAmongParents(ancestors: readonly ProcessFacts[], run: RunTmux): Promise<Found | undefined> {
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

function inside({ socket, panes, own }: Found): Inside {
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
