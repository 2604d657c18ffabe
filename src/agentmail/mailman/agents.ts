import type { AgentContext, MailFolders } from '../agent.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import { ownLetters, ownMailboxes } from '../delivery/own-mail.ts';
import type { Letter } from '../letter.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { type Presence, readPresences } from '../mailbox/recipients-file.ts';
import type { ReadMailbox } from '../mailbox/unread-reader.ts';
import { peersOf, type SessionsView, type Window } from './sessions.ts';

/** An agent in its window. */
export interface Agent {
  presence: Presence;
  /**
   * It has not said that it is ready: it is notified only if its program is newer than its status, and waits at a main
   * prompt that is known. Codex, for one, runs no hook before its first prompt.
   */
  isSilent: boolean;
  /** The folders that have its status. */
  folders: readonly string[];
  window: Window;
  /** Whether another window has the same name. */
  sharesName: boolean;
  at: AgentContext;
}

/** The windows of the served sessions, and all existing ones. */
type Windows = Pick<SessionsView, 'windows' | 'everyWindow'>;

/** The agents whose windows exist and that are ready, or whose program may have said nothing yet. */
export async function servedAgents(main: string, view: Windows, state: DeliveryState): Promise<Agent[]> {
  const { windows } = view;
  const found = await presencesIn(foldersOf(main, windows));
  const agents = found.flatMap(({ presence, folders }) => {
    const bearers = bearersOf(presence.name, windows, state);
    const sharesName = bearers.length > 1;
    return bearers.map((window) => ({
      presence,
      folders,
      window,
      sharesName,
      isSilent: presence.status !== 'ready',
      at: agentContextOf(window, view, main),
    }));
  });
  // By the newest status of all its names: a renamed window is still one agent.
  const newest = new Map(agents.toSorted(byTime).map((agent) => [agent.window.key, agent]));
  return [...newest.values(), ...withoutStatus(main, view, newest)];
}

/** Windows in this repository of which no status is stored. */
function withoutStatus(main: string, view: Windows, known: ReadonlyMap<string, unknown>): Agent[] {
  const windows = distinct(view.windows.filter((window) => !known.has(window.key) && isIn(window, main)));
  return windows.map((window) => ({
    presence: { name: window.name, status: 'offline', updatedAt: 0 },
    folders: [],
    window,
    sharesName: view.windows.some(({ name, key }) => name === window.name && key !== window.key),
    isSilent: true,
    at: agentContextOf(window, view, main),
  }));
}

/** The windows with this name, in any session; where there are none, those that had it before. */
function bearersOf(name: string, windows: readonly Window[], state: DeliveryState): Window[] {
  const bearing = distinct(windows.filter((window) => window.name === name));
  return bearing.length > 0 ? bearing : distinct(windows.filter(({ key }) => state.namesOf(key).includes(name)));
}

/** Where several windows share a name, only letters to this window. */
export async function unreadOf(
  { at, window, sharesName }: Agent,
  state: DeliveryState,
  read: ReadMailbox,
): Promise<readonly Letter[]> {
  const unread = await ownLetters(ownMailboxes(at, state), read);
  return sharesName ? unread.filter(({ id }) => state.recipientWindow(id) === window.key) : unread;
}

/** The mail folders of a repository: the shared one, and those of linked worktrees with a window. */
export function foldersOf(main: string, windows: readonly Window[]): string[] {
  return [...new Set([main, ...windows.flatMap((window) => foldersOfWindow(window, main).read)])];
}

export function foldersOfWindow(window: Window, main: string): MailFolders {
  const own = ownFolders(window);
  return own?.main === main ? own : { main, read: [main], forFolder: () => main };
}

function isIn(window: Window, main: string): boolean {
  return ownFolders(window)?.main === main;
}

function ownFolders({ panes }: Window): MailFolders | undefined {
  const folder = (panes.find(({ isActive }) => isActive) ?? panes[0])?.folder;
  return folder ? mailFoldersFor(folder) : undefined;
}

function agentContextOf(window: Window, { windows, everyWindow }: Windows, main: string): AgentContext {
  const peers = peersOf(windows, window);
  const me = peers.find(({ isCurrent }) => isCurrent) ?? { name: window.name, isCurrent: true, window: window.key };
  const mailFolders = foldersOfWindow(window, main);
  return { me, peers, ignored: new Set(), mailFolders, everyWindow: async () => [...everyWindow] };
}

/** By name; the newest where several folders have one. */
async function presencesIn(folders: readonly string[]): Promise<{ presence: Presence; folders: string[] }[]> {
  const all = await Promise.all(
    folders.map(async (folder) => (await readPresences(folder)).map((presence) => ({ presence, folder }))),
  );
  const byName = Map.groupBy(all.flat(), ({ presence }) => presence.name);
  return [...byName.values()].flatMap((of) => {
    const newest = of.toSorted((a, b) => b.presence.updatedAt - a.presence.updatedAt)[0];
    return newest ? [{ presence: newest.presence, folders: of.map(({ folder }) => folder) }] : [];
  });
}

function byTime(one: Agent, other: Agent): number {
  return one.presence.updatedAt - other.presence.updatedAt;
}

/** A window that is linked into several sessions is one window. */
function distinct(windows: readonly Window[]): Window[] {
  return [...new Map(windows.map((window) => [window.key, window])).values()];
}
