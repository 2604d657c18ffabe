import type { AgentContext, WindowKey } from '../agent.ts';
import type { Letter } from '../letter.ts';
import { mailboxPath, readLetters } from '../mailbox/mailbox.ts';
import { nameOfMailboxFile } from '../mailbox/names.ts';
import type { Warn } from '../mailbox/quarantine.ts';
import { isTracked } from '../mailbox/tracked-mailbox.ts';
import type { ReadMailbox } from '../mailbox/unread-reader.ts';
import { statOf } from '../repository/repository-file.ts';
import { isWindowGone } from '../tmux/window-life.ts';
import type { DeliveryState } from './delivery-state.ts';

/** A mailbox that may contain letters for this agent. */
export interface OwnMailbox {
  path: string;
  /**
   * A letter to another window is ours only if that window was closed. While that is unknown, this returns false until
   * `ask`.
   */
  isOurs(letter: Letter): boolean;
  /** Queries tmux if such letters were found. True if `isOurs` may return something else afterwards. */
  ask(): Promise<boolean>;
}

/**
 * The mailboxes of our window, for its current and its former names, in every folder that we read. Where another
 * window has such a name now, only letters to our window are ours. Mailboxes that git tracks are left out.
 */
export function ownMailboxes(at: AgentContext, state: DeliveryState, warn: Warn = () => {}): OwnMailbox[] {
  const { me, peers, mailFolders } = at;
  const past = me.window === undefined ? [] : state.namesOf(me.window);
  const names = [...new Set([me.name, ...past])].filter((name) => nameOfMailboxFile(`${name}.jsonl`) !== undefined);
  const isAnothers = (name: string) => peers.some((peer) => peer.name === name && peer.window !== me.window);
  const { isGone, ask } = goneWindows(at);

  return names.flatMap((name) =>
    mailFolders.read
      .map((folder) => mailboxPath(folder, name))
      .filter((path) => statOf(path) !== undefined && !isTracked(path, warn))
      .map((path) => ({
        path,
        isOurs(letter: Letter) {
          // On a case-insensitive file system, names that differ only in case are one file.
          if (letter.to !== name) return false;
          const window = state.recipientWindow(letter.id);
          if (window !== undefined && window === me.window) return true;
          return !isAnothers(name) && (window === undefined || isGone(window));
        },
        ask,
      })),
  );
}

/** All our letters in them, in order; read ones too, unless `read` leaves them out. */
export async function ownLetters(
  mailboxes: readonly OwnMailbox[],
  read: ReadMailbox = readLetters,
): Promise<readonly Letter[]> {
  const found: { letter: Letter; isOurs: OwnMailbox['isOurs'] }[] = [];
  for (const { path, isOurs } of mailboxes) {
    for (const letter of await read(path)) found.push({ letter, isOurs });
  }
  const ours = () => found.filter(({ letter, isOurs }) => isOurs(letter)).map(({ letter }) => letter);
  const sure = ours();
  const letters = (await mailboxes[0]?.ask()) ? ours() : sure;
  return mailboxes.length > 1 ? letters.sort((a, b) => timeOf(a) - timeOf(b)) : letters;
}

/** Windows of other sessions are not among our peers: only tmux knows whether they exist. It is queried once. */
function goneWindows({ peers, everyWindow }: AgentContext) {
  const near = new Set(peers.map(({ window }) => window));
  let isInDoubt = false;
  let living: readonly WindowKey[] | undefined;
  return {
    isGone(window: WindowKey): boolean {
      if (near.has(window)) return false;
      if (!everyWindow) return true;
      const isGone = isWindowGone(window, living ?? []);
      if (!isGone && living === undefined) isInDoubt = true;
      return isGone;
    },
    async ask(): Promise<boolean> {
      if (!isInDoubt || !everyWindow) return false;
      living = await everyWindow();
      isInDoubt = false;
      return true;
    },
  };
}

function timeOf({ createdAt = '' }: Letter): number {
  return Date.parse(createdAt) || 0;
}
