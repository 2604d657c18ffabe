import type { Standpoint } from '../agent.ts';
import { watchMail } from '../mailman/mail-watch.ts';
import { ownLetters, ownMailboxes } from '../own-mail.ts';
import { watchPane } from '../pane-watch.ts';
import { changePresence, readPresences } from '../recipients-file.ts';
import type { Side } from '../side.ts';
import { createSides } from '../sides.ts';
import { forgetListener, noteWay, wayOf } from '../ways.ts';
import { whereaboutsOf } from '../whereabouts.ts';
import { type Call, type Inside, insideOf, type Outcome, refuseMoreWords, requireStandpoint } from './command.ts';
import { receive } from './receive.ts';

/** How often it looks whether it is still wanted, and whether something came that was not heard. */
const LOOK_EVERY_MS = 1_000;

const NOTHING: Outcome = { text: 'No unread messages\n', json: { status: 'No unread messages', remaining: 0 } };

export async function runWait(call: Call): Promise<Outcome> {
  refuseMoreWords(call.line.words, 0);
  if (!call.line.has('hook')) return (await waitForMail(call)) ?? NOTHING;
  try {
    return (await listen(call)) ?? {};
  } catch {
    // A hook must not stop an assistant because its mail cannot be looked at.
    return {};
  }
}

/** Undefined where it is no longer wanted. */
async function waitForMail(call: Call): Promise<Outcome | undefined> {
  return untilOver(call, async () => {
    const outcome = await receive.run(call);
    return outcome.text === undefined && outcome.json === undefined ? outcome : undefined;
  });
}

/** A listener: it is known to the mailman, and hands mail over only while its agent is ready. */
async function listen(call: Call): Promise<Outcome | undefined> {
  const side = createSides(() => {}).of(standpoint(call, await inside(call)).places.main);
  const { me } = standpoint(call, await inside(call));
  noteWay(side, me, { kind: 'listener', pid: process.pid });
  try {
    return await untilOver(call, async (at) => {
      if (wayOf(side, me)?.pid !== process.pid) return {};
      return (await isReady(at)) ? handOver(call, at, side) : undefined;
    });
  } finally {
    forgetListener(side, me, process.pid);
  }
}

async function handOver(call: Call, at: Standpoint, side: Side): Promise<Outcome | undefined> {
  const letters = await ownLetters(ownMailboxes(at, side));
  const first = letters.find(({ isRead }) => !isRead);
  if (!first) return undefined;
  const now = Date.now();
  noteWay(side, at.me, { since: now });
  const outcome = await receive.run(call);
  // Somebody else was faster.
  if (outcome.exitCode !== 2) return undefined;
  side.announced([first.id], 'rewake', now);
  for (const folder of at.places.read) {
    await changePresence(folder, at.me.name, (each) => ({ ...each, notifiedAt: now }), { now, warn: () => {} });
  }
  return outcome;
}

async function isReady({ me, places }: Standpoint): Promise<boolean> {
  const own = (await Promise.all(places.read.map(readPresences))).flat().filter(({ name }) => name === me.name);
  return own.toSorted((a, b) => b.updatedAt - a.updatedAt)[0]?.status === 'ready';
}

/** Tries again whenever there is news, until something comes of it, or until time, pane or parent is gone. */
async function untilOver(
  call: Call,
  attempt: (at: Standpoint) => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  const where = await inside(call);
  let isOver = false;
  let wakeUp = () => {};
  const end = () => {
    isOver = true;
    wakeUp();
  };
  const seconds = call.line.number('timeout');
  const timer = seconds === undefined ? undefined : setTimeout(end, seconds * 1_000);
  const parent = process.ppid;
  const looking = setInterval(() => (process.ppid === parent ? wakeUp() : end()), LOOK_EVERY_MS);
  watchPane({ socket: where.socket, pane: where.me.pane ?? '', pid: where.panePid }, end);
  const watcher = watchMail(
    () => wakeUp(),
    () => {},
  );
  watcher.follow(standpoint(call, where).places.read);
  try {
    while (!isOver) {
      const heard = new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
      // Found anew each time: its window may be called something else by now.
      const outcome = await attempt(standpoint(call, await inside(call)));
      if (outcome) return outcome;
      await heard;
    }
    return undefined;
  } finally {
    clearTimeout(timer);
    clearInterval(looking);
    watcher.close();
  }
}

async function inside({ world }: Call): Promise<Inside> {
  return insideOf(await whereaboutsOf(world.origin));
}

function standpoint({ world }: Call, where: Inside): Standpoint {
  return requireStandpoint(where, world);
}
