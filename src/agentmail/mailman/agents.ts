import type { AgentContext, MailFolders } from '../agent.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import { ownLetters, ownMailboxes } from '../delivery/own-mail.ts';
import type { Letter } from '../letter.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { type Presence, readPresences } from '../mailbox/recipients-file.ts';
import type { ReadMailbox } from '../mailbox/unread-reader.ts';
import { peersOf, type SessionsView, type Window } from './sessions.ts';

/** An agent with a status, in its window. */
export interface Agent {
  presence: Presence;
  /** The folders that have its status. */
  folders: readonly string[];
  window: Window;
  /** Whether another window has the same name. */
  sharesName: boolean;
  at: AgentContext;
}

/** The windows of the served sessions, and all existing ones. */
type Windows = Pick<SessionsView, 'windows' | 'everyWindow'>;

/** The agents that are ready and whose windows exist. Agents without a status are left alone. */
export async function readyAgents(main: string, view: Windows, state: DeliveryState): Promise<Agent[]> {
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
      at: agentContextOf(window, view, main),
    }));
  });
  // By the newest status of all its names: a renamed window is still one agent.
  const newest = new Map(agents.toSorted(byTime).map((agent) => [agent.window.key, agent]));
  return [...newest.values()].filter(({ presence }) => presence.status === 'ready');
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
  const folder = (window.panes.find(({ isActive }) => isActive) ?? window.panes[0])?.folder;
  const own = folder ? mailFoldersFor(folder) : undefined;
  return own?.main === main ? own : { main, read: [main], forFolder: () => main };
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
