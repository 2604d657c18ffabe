import type { LeasedLetter } from '../delivery/post.ts';
import type { Letter } from '../letter.ts';
import { agentNameIn, hookText, promptText, receivedText } from '../letter-text.ts';
import { HOLD_MS } from '../mailbox/held-mailboxes.ts';
import {
  announceHere,
  type CommandCall,
  type CommandOutcome,
  insideOf,
  type MailCommand,
  refuseMoreWords,
  requireContext,
  tmuxLocationIn,
} from './command.ts';
import { failedTo } from './failure.ts';
import { letterTextFor, type Patience, STDERR, STDOUT, writeAll, writeJson } from './output.ts';
import { timestamp } from './timestamp.ts';

const MAIL_FOR_HOOK = 2;

export const receive: MailCommand = {
  name: 'receive',
  summary: 'Read the oldest unread message',
  usage: '[flags]',
  about: `Prints the oldest unread message in your mailbox and marks it as read after it was printed. If
there is none, it prints: No unread messages

With --hook the message goes to standard error and the exit code is 2. Without a message, and on
any error, it prints nothing and the exit code is 0. With --decision it goes to standard output
instead, as JSON, and the exit code is always 0, for assistants that call any other one a failure.`,
  flags: [
    { names: ['hook'], takes: 'nothing', description: 'Use exit codes and output for hooks of assistants' },
    { names: ['decision'], takes: 'nothing', description: 'With --hook: print {"decision": "block", "reason"}' },
    { names: ['ready'], takes: 'nothing', description: 'With --hook: without a message, set your status to ready' },
  ],
  run: async (call) => (call.line.has('hook') ? receiveForHook(call) : receiveToStdout(call)),
};

async function receiveToStdout(call: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(call.line.words, 0);
  const taken = await take(call);
  if (!taken) return { text: 'No unread messages\n', json: { status: 'No unread messages', remaining: 0 } };
  await hand(taken, (patience) => {
    if (call.json) writeJson(STDOUT, viewOf(taken), patience);
    else writeAll(STDOUT, receivedText(taken.letter, letterTextFor(STDOUT)), patience);
  });
  return {};
}

async function receiveForHook(call: CommandCall): Promise<CommandOutcome> {
  let exitCode = 0;
  try {
    const taken = await take(call);
    if (!taken) {
      if (call.line.has('ready')) await setReady(call);
      return { exitCode };
    }
    await hand(taken, (patience) => {
      if (call.line.has('decision')) return writeJson(STDOUT, decisionOf(taken.letter), patience);
      if (call.json) writeJson(STDERR, viewOf(taken), patience);
      else writeAll(STDERR, hookText(taken.letter), patience);
      exitCode = MAIL_FOR_HOOK;
    });
  } catch {
    // A hook must not stop the assistant because its mail cannot be read.
  }
  return { exitCode };
}

async function setReady({ world }: CommandCall): Promise<void> {
  const context = requireContext(insideOf(await tmuxLocationIn(world)), world);
  await (await world.post({ quiet: true })).setStatus(context, 'ready');
}

/** The assistant goes on with the reason as its next prompt; the other text is for the screen. */
function decisionOf(letter: Letter): object {
  return { decision: 'block', reason: promptText(letter), systemMessage: `New mail from ${agentNameIn(letter.from)}` };
}

async function take({ world, line }: CommandCall): Promise<LeasedLetter | undefined> {
  const where = insideOf(await tmuxLocationIn(world));
  const context = requireContext(where, world);
  try {
    const taken = await (await world.post({ quiet: line.has('hook') })).take(context);
    announceHere(where, context, world);
    return taken;
  } catch (thrown) {
    throw failedTo('read messages', thrown);
  }
}

/** Marked read only after it was printed: otherwise it remains unread. */
async function hand(taken: LeasedLetter, write: (patience: Patience) => void): Promise<void> {
  try {
    // Nothing else happens while this process writes, not even a timeout.
    write({ ms: HOLD_MS, onLate: () => taken.unlock() });
  } catch (thrown) {
    await taken.release();
    throw failedTo('write to the output', thrown);
  }
  try {
    await taken.done();
  } catch (thrown) {
    throw failedTo('mark message as read', thrown);
  }
}

function viewOf({ letter, remaining }: LeasedLetter): object {
  const { from, id, message, createdAt } = letter;
  return { id, from, message, ...timestamp(createdAt), remaining };
}
