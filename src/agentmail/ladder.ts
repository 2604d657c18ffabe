import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Letter } from './letter.ts';
import { readLetters } from './mailbox.ts';
import type { Side } from './side.ts';
import type { NotedLetter } from './side-letters.ts';

/** Notes which of these letters were read by a program that keeps no notes. True where there was news. */
export async function noticeReadings(
  letters: readonly NotedLetter[],
  { side, mailFolder, now }: { side: Side; mailFolder: string; now: number },
): Promise<boolean> {
  const waiting = Map.groupBy(
    letters.filter(({ fetchedAt }) => fetchedAt === undefined),
    ({ mailbox }) => resolve(mailFolder, mailbox),
  );
  let isNews = false;
  for (const [mailbox, noted] of waiting) {
    if (!existsSync(mailbox)) continue;
    const inside = new Map((await readLetters(mailbox)).map((letter) => [letter.id, letter]));
    for (const { id } of noted.filter((each) => wasRead(inside.get(each.id)))) {
      side.fetched(id, now);
      isNews = true;
    }
  }
  return isNews;
}

/** Nobody takes unread letters out of a mailbox: one that is gone was read and cleaned away. */
function wasRead(letter: Letter | undefined): boolean {
  return letter === undefined || letter.isRead;
}
