// An agent that works endlessly or for a number of rounds, and prints what it did on standard output.
// Arguments: the kind of work, the repository, its own name, the names of all (comma-separated), and arguments of that work.
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostOffice } from '../../../src/agentmail/delivery/post-office.ts';
import { cleanUp } from '../../../src/agentmail/mailbox/cleanup.ts';
import { mailboxPath } from '../../../src/agentmail/mailbox/mailbox.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { printLine } from '../print-line.ts';
import { original } from './original.ts';
import { standAt } from './repository.ts';

const [work = '', root = '', me = '', names = '', to = '', count = 'Infinity'] = process.argv.slice(2);
const at = standAt(root, me, names.split(','));
const post = createPostOffice({ clock: systemClock });
const rounds = Number(count);

const works: Record<string, () => Promise<void>> = {
  /** Sends to the next agent and receives as many from the previous one, alternately. */
  async ring() {
    let received = 0;
    for (let round = 0; round < rounds; round++) {
      await send(round);
      if (await receive()) received += 1;
    }
    while (received < rounds) if (await receive()) received += 1;
  },
  async send() {
    for (let round = 0; round < rounds; round++) await send(round);
  },
  async receive() {
    for (let received = 0; received < rounds; ) if (await receive()) received += 1;
  },
  /** Prints each letter before it is marked as read, as the command does. */
  async 'print-and-mark'() {
    say('started reading');
    for (;;) {
      const taken = await post.take(at);
      if (taken) say(`printed ${taken.letter.id} ${process.hrtime.bigint()}`);
      await sleep(2);
      await taken?.done();
    }
  },
  async clean() {
    for (let round = 0; round < rounds; round++) {
      await send(round);
      if (round % 3 === 0) await receive();
      if (round % 10 === 9) await clean();
    }
  },
  async 'original-send'() {
    for (let round = 0; round < rounds; round++) {
      await original.send(mailboxPath(at.mailFolders.main, to), { from: me, to, message: `${me} ${round}` });
      say(`sent ${me} ${round}`);
    }
  },
  async 'original-receive'() {
    for (let received = 0; received < rounds; ) {
      const letter = await original.receive(mailboxPath(at.mailFolders.main, me));
      if (letter) say(`received ${letter.message}`);
      else await sleep(5);
      received += letter ? 1 : 0;
    }
  },
};

await works[work]?.();

async function send(round: number): Promise<void> {
  const { id } = await post.send(at, to, `${me} ${round}`);
  say(`sent ${me} ${round} ${id}`);
}

async function receive(): Promise<boolean> {
  const taken = await post.take(work === 'clean' ? standAt(root, to, names.split(',')) : at);
  if (!taken) {
    await sleep(2);
    return false;
  }
  await taken.done();
  say(`received ${taken.letter.message} ${taken.letter.id}`);
  return true;
}

async function clean(): Promise<void> {
  const { mailFolders } = at;
  await cleanUp({
    mailFolders,
    windows: [],
    staleHours: 1,
    deliveredHours: -1,
    dryRun: false,
    clock: systemClock,
    warn: say,
  });
}

function say(line: string): void {
  printLine(line);
}
