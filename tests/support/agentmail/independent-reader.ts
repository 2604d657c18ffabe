// A reader that follows the original program's file protocol and shares no code with ours but the call of the C library:
// it finds the first unread letter under a shared lock, and marks it under an exclusive one by writing the file again.
// Argument: the mailbox. Prints `started reading`, `found <id> <monotonic time>` while it holds the first lock, and `took <id>` at the end.
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadForeignFunctions } from '../../../src/lib/foreign-functions.ts';
import { printLine } from '../print-line.ts';

const [mailbox = ''] = process.argv.slice(2);
const flock = loadForeignFunctions().load(null).func('int flock(int file, int operation)');
const [SHARED, EXCLUSIVE] = [1, 2];

say('started reading');
for (;;) {
  const id = locked('r', SHARED, () => {
    const found = lines().find((line) => !line.read_flag)?.id;
    if (found) say(`found ${found} ${process.hrtime.bigint()}`);
    return found;
  });
  if (id) {
    locked('r+', EXCLUSIVE, (file) => {
      const marked = lines().map((line) => (line.id === id ? { ...line, read_flag: true } : line));
      ftruncateSync(file, 0);
      writeSync(file, marked.map((line) => `${JSON.stringify(line)}\n`).join(''), 0);
    });
    say(`took ${id}`);
  }
  await sleep(id ? 0 : 2);
}

function locked<T>(access: string, operation: number, work: (file: number) => T): T {
  const file = openSync(mailbox, access);
  try {
    flock(file, operation);
    return work(file);
  } finally {
    closeSync(file);
  }
}

function lines(): { id: string; read_flag: boolean }[] {
  return readFileSync(mailbox, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function say(line: string): void {
  printLine(line);
}
