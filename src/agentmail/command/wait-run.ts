import type { AgentContext } from '../agent.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import { createDeliveryStates } from '../delivery/delivery-states.ts';
import { ownLetters, ownMailboxes } from '../delivery/own-mail.ts';
import { ownNames } from '../delivery/own-names.ts';
import { forgetListener, noteWakeMethod, wakeMethodOf } from '../delivery/wake-methods.ts';
import { changePresence, newestOf, readPresences } from '../mailbox/recipients-file.ts';
import { createUnreadReader, type ReadMailbox } from '../mailbox/unread-reader.ts';
import { watchMail } from '../mailman/mail-watch.ts';
import { watchPane } from '../tmux/pane-watch.ts';
import { type StartingProgram, startingProgram } from '../tmux/starting-program.ts';
import { type Inside, tmuxLocationOf } from '../tmux/tmux-location.ts';
import { type CommandCall, type CommandOutcome, insideOf, refuseMoreWords, requireContext } from './command.ts';
import { CommandFailure } from './failure.ts';
import { receive } from './receive.ts';

/** How often it checks whether it may exit: it must have exited a second after the program that started it. */
const LOOK_EVERY_MS = 400;
/** How often it reads the mailbox in case a file event was missed. */
const SWEEP_MS = 10_000;
const DEAF_SWEEP_MS = 2_000;
/** A timer of more than 31 bits of milliseconds would fire immediately. */
const LONGEST_SECONDS = 2_147_483;

const NOTHING: CommandOutcome = { text: 'No unread messages\n', json: { status: 'No unread messages', remaining: 0 } };

export async function runWait(call: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(call.line.words, 0);
  refuseLongerWait(call.line.number('timeout'));
  const starter = await startingProgram();
  if (!call.line.has('hook')) return (await waitForMail(call, starter)) ?? NOTHING;
  try {
    return (await listen(call, starter)) ?? {};
  } catch {
    // A hook must not stop the assistant because its mail cannot be read.
    return {};
  }
}

function refuseLongerWait(seconds: number | undefined): void {
  if (seconds === undefined || seconds <= LONGEST_SECONDS) return;
  throw new CommandFailure('VALIDATION_ERROR', `a timeout has at most ${LONGEST_SECONDS} seconds`, {
    hint: 'without --timeout it waits as long as it takes',
  });
}

/** Undefined when it is stopped before a letter arrives. */
async function waitForMail(call: CommandCall, starter: StartingProgram): Promise<CommandOutcome | undefined> {
  return untilOver(call, starter, async () => {
    const outcome = await receive.run(call);
    return outcome.text === undefined && outcome.json === undefined ? outcome : undefined;
  });
}

/** A listener is registered for the mailman, and delivers mail only while its agent is ready. */
async function listen(call: CommandCall, starter: StartingProgram): Promise<CommandOutcome | undefined> {
  const { me, mailFolders } = context(call, await inside(call));
  const state = createDeliveryStates(() => {}).of(mailFolders.main);
  const read = createUnreadReader(state, mailFolders.main);
  const isNewest = () => wakeMethodOf(state, me)?.pid === process.pid;
  noteWakeMethod(state, me, { kind: 'listener', pid: process.pid });
  try {
    return await untilOver(
      call,
      starter,
      async (at) => (isNewest() && (await isReady(at, state)) ? handOver(call, at, state, read) : undefined),
      isNewest,
    );
  } finally {
    forgetListener(state, me, process.pid);
  }
}

async function handOver(
  call: CommandCall,
  at: AgentContext,
  state: DeliveryState,
  read: ReadMailbox,
): Promise<CommandOutcome | undefined> {
  const [first] = await ownLetters(ownMailboxes(at, state), read);
  if (!first) return undefined;
  const now = Date.now();
  noteWakeMethod(state, at.me, { since: now });
  const outcome = await receive.run(call);
  // Another process leased the letter first.
  if (outcome.exitCode !== 2) return undefined;
  state.announced([first.id], 'rewake', now);
  for (const folder of at.mailFolders.read) {
    await changePresence(folder, ownNames(at, state), (each) => ({ ...each, notifiedAt: now }), {
      now,
      warn: () => {},
    });
  }
  return outcome;
}

async function isReady(at: AgentContext, state: DeliveryState): Promise<boolean> {
  const presences = await Promise.all(at.mailFolders.read.map(readPresences));
  return newestOf(presences.flat(), ownNames(at, state))?.status === 'ready';
}

/** Tries again after every change, until it succeeds, is replaced, times out, or its pane or the program that started it has exited. */
async function untilOver(
  call: CommandCall,
  starter: StartingProgram,
  attempt: (at: AgentContext) => Promise<CommandOutcome | undefined>,
  isWanted: () => boolean = () => true,
): Promise<CommandOutcome | undefined> {
  const where = await inside(call);
  let isOver = false;
  let wakeUp = () => {};
  const end = () => {
    isOver = true;
    wakeUp();
  };
  const seconds = call.line.number('timeout');
  let sweep: NodeJS.Timeout | undefined;
  const timer = seconds === undefined ? undefined : setTimeout(end, seconds * 1_000);
  const looking = setInterval(async () => {
    if (!isWanted() || !(await starter.isThere())) end();
  }, LOOK_EVERY_MS);
  watchPane({ socket: where.socket, pane: where.me.pane ?? '', pid: where.panePid }, end);
  const watcher = watchMail(
    () => wakeUp(),
    () => {},
  );
  let at = context(call, where);
  try {
    while (!isOver) {
      const heard = new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
      watcher.follow(at.mailFolders.read);
      // Looked up for each attempt: the window may have been renamed.
      at = context(call, await inside(call));
      // What it received now would reach nobody.
      if (!(await starter.isThere())) break;
      const outcome = await attempt(at);
      if (outcome) return outcome;
      sweep = setTimeout(() => wakeUp(), watcher.isWhole() ? SWEEP_MS : DEAF_SWEEP_MS);
      await heard;
      clearTimeout(sweep);
    }
    return undefined;
  } finally {
    clearTimeout(timer);
    clearTimeout(sweep);
    clearInterval(looking);
    watcher.close();
  }
}

async function inside({ world }: CommandCall): Promise<Inside> {
  return insideOf(await tmuxLocationOf(world.origin));
}

function context({ world }: CommandCall, where: Inside): AgentContext {
  return requireContext(where, world);
}
