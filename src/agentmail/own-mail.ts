import { existsSync } from 'node:fs';
import type { Standpoint } from './agent.ts';
import type { Letter } from './letter.ts';
import { mailboxPath, readLetters } from './mailbox.ts';
import { nameOfMailboxFile } from './names.ts';
import type { Side } from './side.ts';

/** A mailbox in which mail of ours may be. */
export interface OwnMailbox {
  path: string;
  isOurs(letter: Letter): boolean;
}

/**
 * Our window's mailboxes: of the name it bears and of those it has borne, in every folder that we read. Where another
 * window bears such a name now, only what was written to ours is ours.
 */
export function ownMailboxes(at: Standpoint, side: Side): OwnMailbox[] {
  const { me, peers, places } = at;
  const past = me.window === undefined ? [] : side.namesOf(me.window);
  const names = [...new Set([me.name, ...past])].filter((name) => nameOfMailboxFile(`${name}.jsonl`) !== undefined);
  const living = new Set(peers.map(({ window }) => window).filter((window) => window !== me.window));
  const isAnothers = (name: string) => name !== me.name && peers.some((peer) => peer.name === name);
  const writtenTo = (letter: Letter) => side.recipientWindow(letter.id);

  return names.flatMap((name) =>
    places.read
      .map((folder) => mailboxPath(folder, name))
      .filter((path) => existsSync(path))
      .map((path) => ({
        path,
        isOurs(letter: Letter) {
          // Where names that differ only in case are one file, this tells them apart.
          if (letter.to !== name) return false;
          const window = me.window === undefined ? undefined : writtenTo(letter);
          if (window !== undefined && window === me.window) return true;
          return !isAnothers(name) && (window === undefined || !living.has(window));
        },
      })),
  );
}

/** Everything in them that is ours, read or not, in the order in which it came. */
export async function ownLetters(mailboxes: readonly OwnMailbox[]): Promise<readonly Letter[]> {
  const letters: Letter[] = [];
  for (const { path, isOurs } of mailboxes) letters.push(...(await readLetters(path)).filter(isOurs));
  return mailboxes.length > 1 ? letters.sort((a, b) => timeOf(a) - timeOf(b)) : letters;
}

function timeOf({ createdAt = '' }: Letter): number {
  return Date.parse(createdAt) || 0;
}
