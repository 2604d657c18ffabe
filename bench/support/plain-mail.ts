import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { flock } from '../../src/lib/flock.ts';

interface PlainLetter {
  id: string;
  from: string;
  to: string;
  message: string;
  read_flag: boolean;
}

/** The simplest mailbox: a letter is appended as a line, and reading one rewrites the whole file. */
export const plainMail = {
  send: (path: string, letter: Omit<PlainLetter, 'read_flag'>): Promise<void> =>
    locked(path, (file) => {
      writeSync(file, `${JSON.stringify({ ...letter, read_flag: false })}\n`, fstatSync(file).size);
    }),

  receive: (path: string): Promise<PlainLetter | undefined> =>
    locked(path, (file) => {
      const letters = readFileSync(path, 'utf8').split('\n').filter(Boolean).map(parse);
      const first = letters.find(({ read_flag }) => !read_flag);
      if (first === undefined) return undefined;
      first.read_flag = true;
      ftruncateSync(file, 0);
      writeSync(file, `${letters.map((letter) => JSON.stringify(letter)).join('\n')}\n`, 0);
      return first;
    }),
};

function parse(line: string): PlainLetter {
  return JSON.parse(line) as PlainLetter;
}

/** As safe on disk as ours, so that both pay for it. */
async function locked<T>(path: string, work: (file: number) => T): Promise<T> {
  const file = openSync(path, 'r+');
  try {
    await flock(file, 'exclusive', 60_000);
    const result = work(file);
    fdatasyncSync(file);
    return result;
  } finally {
    closeSync(file);
  }
}
