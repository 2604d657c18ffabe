import { join } from 'node:path';
import type { Peer, WindowKey } from '../agent.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { allPanes, type Pane, panesBeside, TmuxFailure } from '../tmux/tmux.ts';

/** Identifies a tmux session: another server may use the same number. */
export interface AgentSession {
  socket: string;
  serverPid: number;
  /** `$1` */
  id: string;
}

export interface Window {
  key: WindowKey;
  name: string;
  socket: string;
  session: string;
  panes: readonly Pane[];
}

/** The sessions that a mailman serves, at one point in time. */
export interface SessionsView {
  /** Those that exist, or whose server did not answer. */
  alive: readonly AgentSession[];
  /** Of those sessions. */
  windows: readonly Window[];
  /** Every window of every server that answered, in any session. */
  everyWindow: ReadonlySet<WindowKey>;
  /** `<pid>:<start>` of the servers that answered. */
  servers: ReadonlySet<string>;
}

/** The session that a pane is in. */
export async function sessionOf(socket: string, pane: string): Promise<AgentSession | undefined> {
  const own = (await panesBeside(socket, pane)).find(({ id }) => id === pane);
  return own && { socket, serverPid: own.serverPid, id: own.session };
}

/** Sessions of the user's default server with a pane in this repository. */
export async function sessionsOfRepository(main: string, env: NodeJS.ProcessEnv): Promise<AgentSession[]> {
  const socket = join(env.TMUX_TMPDIR || '/tmp', `tmux-${process.getuid?.()}`, 'default');
  const panes = await allPanes(socket).catch(() => []);
  const here = panes.filter(({ folder }) => folder !== '' && mailFoldersFor(folder)?.main === main);
  return [...new Map(here.map(({ session, serverPid }) => [session, { socket, serverPid, id: session }])).values()];
}

export async function viewSessions(sessions: readonly AgentSession[]): Promise<SessionsView> {
  const bySocket = [...Map.groupBy(sessions, ({ socket }) => socket)];
  const views = await Promise.all(bySocket.map(([socket, of]) => viewServer(socket, of)));
  return {
    alive: views.flatMap(({ alive }) => alive),
    windows: views.flatMap(({ windows }) => windows),
    everyWindow: new Set(views.flatMap(({ panes }) => panes.map(({ windowKey }) => windowKey))),
    servers: new Set(views.flatMap(({ panes }) => panes.map(({ windowKey }) => serverOf(windowKey)))),
  };
}

/** The peers of a window in its session. */
export function peersOf(windows: readonly Window[], own: Window): Peer[] {
  return windows
    .filter(({ socket, session }) => socket === own.socket && session === own.session)
    .map((window) => toPeer(window, window.key === own.key));
}

/** `<pid>:<start>` of `<pid>:<start>:@<window>`. */
export function serverOf(key: WindowKey): string {
  return key.slice(0, key.lastIndexOf(':'));
}

async function viewServer(socket: string, sessions: readonly AgentSession[]) {
  try {
    const panes = await allPanes(socket);
    const alive = sessions.filter(({ serverPid, id }) =>
      panes.some((pane) => pane.serverPid === serverPid && pane.session === id),
    );
    return { alive, panes, windows: windowsIn(socket, panes, alive) };
  } catch (thrown) {
    if (!(thrown instanceof TmuxFailure)) throw thrown;
    // A missing server fails with an exit status; a busy one times out, and its sessions may exist.
    const isGone = thrown.message.startsWith('exit status');
    return { alive: isGone ? [] : sessions, panes: [], windows: [] };
  }
}

function windowsIn(socket: string, panes: readonly Pane[], sessions: readonly AgentSession[]): Window[] {
  const served = panes.filter((pane) => sessions.some(({ id }) => id === pane.session));
  const byWindow = Map.groupBy(served, ({ session, window }) => `${session} ${window}`);
  return [...byWindow.values()].flatMap((of) => {
    const [first] = of;
    if (!first) return [];
    return [{ key: first.windowKey, name: first.windowName, socket, session: first.session, panes: of }];
  });
}

function toPeer({ key, name, panes }: Window, isCurrent: boolean): Peer {
  const shown = panes.find(({ isActive }) => isActive) ?? panes[0];
  return {
    name,
    isCurrent,
    window: key,
    ...(shown ? { pane: shown.id } : {}),
    ...(shown?.folder ? { folder: shown.folder } : {}),
  };
}
