import { appendFileSync, closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Letter } from '../../../src/agentmail/letter.ts';
import { newLetterId } from '../../../src/agentmail/mailbox/letter-id.ts';
import { encodeLine, parseLine, timestamp } from '../../../src/agentmail/mailbox/line.ts';
import { flock, type LockKind } from '../../../src/lib/flock.ts';

/**
 * What the original program does to a mailbox, including its weaknesses: it finds a letter under one lock and marks it under
 * another, and it marks it by truncating the file and rewriting every line.
 */
export const original = {
  send: (mailbox: string, letter: Pick<Letter, 'from' | 'to' | 'message'>): Promise<string> =>
    locked(mailbox, 'exclusive', () => {
      const id = newLetterId();
      appendFileSync(mailbox, encodeLine({ ...letter, id, isRead: false, createdAt: timestamp(Date.now()) }));
      return id;
    }),

  async receive(mailbox: string): Promise<Letter | undefined> {
    const letter = await locked(mailbox, 'shared', () => readAll(mailbox).find(({ isRead }) => !isRead));
    if (letter) {
      await locked(mailbox, 'exclusive', (file) => {
        writeAll(
          file,
          readAll(mailbox).map((each) => (each.id === letter.id ? { ...each, isRead: true } : each)),
        );
      });
    }
    return letter;
  },

  cleanUp: (mailbox: string): Promise<void> =>
    locked(mailbox, 'exclusive', (file) => {
      writeAll(
        file,
        readAll(mailbox).filter(({ isRead }) => !isRead),
      );
    }),
};

async function locked<T>(mailbox: string, kind: LockKind, work: (file: number) => T): Promise<T> {
  const file = openSync(mailbox, kind === 'shared' ? 'r' : 'a+', 0o600);
  try {
    if (!(await flock(file, kind, 60_000))) throw new Error(`${mailbox} stays locked`);
    return work(file);
  } finally {
    closeSync(file);
  }
}

/** One line that is not a letter makes the whole file unreadable. */
function readAll(mailbox: string): Letter[] {
  const lines = readFileSync(mailbox, 'utf8').split(/\r?\n/);
  return lines.filter(Boolean).map((line) => {
    const letter = parseLine(Buffer.from(line));
    if (!letter) throw new Error(`${mailbox} cannot be parsed: ${line.slice(0, 100)}`);
    return letter;
  });
}

function writeAll(file: number, letters: readonly Letter[]): void {
  ftruncateSync(file, 0);
  for (const letter of letters) writeSync(file, encodeLine(letter));
}
