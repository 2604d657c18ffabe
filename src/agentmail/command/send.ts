import { AppError } from '../../domain/errors.ts';
import type { AgentContext } from '../agent.ts';
import type { Inside } from '../tmux/tmux-location.ts';
import { HUMAN } from '../user-name.ts';
import {
  announceHere,
  type CommandCall,
  type CommandOutcome,
  insideOf,
  type MailCommand,
  refuseMoreWords,
  requireContext,
  saysTmux,
  tmuxLocationIn,
} from './command.ts';
import { CommandFailure, failedTo } from './failure.ts';
import type { ParsedArguments } from './line.ts';
import { STDERR, writeAll } from './output.ts';
import { readStdin } from './stdin.ts';

/** Errors before the attempt to send, each with its own text. */
const REFUSALS: ReadonlySet<string> = new Set(['RECIPIENT_NOT_FOUND', 'TOO_LARGE']);

export const send: MailCommand = {
  name: 'send',
  summary: 'Send a message to another agent',
  usage: '[flags] [<recipient>] [<message>]',
  about: `Stores a message in the mailbox of the agent in the tmux window <recipient>. It is on disk when
the command reports it as sent.

A pipe or a file on standard input takes precedence over the argument. Recipient and message can
also be given as flags, anywhere on the line.

EXAMPLES
  agentmail send a2 "The tests pass"
  agentmail send a2 -m "The tests pass"
  git diff | agentmail send a2`,
  flags: [
    { names: ['recipient', 'r'], takes: 'text', description: 'Name of the window to send to' },
    { names: ['message', 'm'], takes: 'text', description: 'Text of the message' },
  ],
  run: runSend,
};

async function runSend({ line, world, json }: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(line.words, wordsTaken(line), 'a message of several words needs quotes around it');
  // Started first, because tmux takes time. Where the environment names tmux, errors in the arguments are reported
  // before those of tmux.
  const asked = tmuxLocationIn(world);
  asked.catch(() => {});
  if (!saysTmux(world)) insideOf(await asked);
  const { to, message: argument } = wordsOf(line);
  if (!to) throw new CommandFailure('VALIDATION_ERROR', 'missing required arguments: recipient message');
  const piped = await readStdin({ isOptional: argument !== '', say: (text) => writeAll(STDERR, text) });
  const message = piped || argument;
  if (!message) {
    throw new CommandFailure('VALIDATION_ERROR', 'no message provided', {
      hint: 'usage: agentmail send <recipient> <message>',
    });
  }
  const where = insideOf(await asked);
  const context = contextFor(where, to, () => requireContext(where, world));
  const post = await world.post();
  try {
    const sent = await post.send(context, to, message);
    const isAnnounced = announceHere(where, context, world);
    const note = isAnnounced || sent.to !== HUMAN ? sent.note : UNSEEN;
    if (note !== undefined && !json) writeAll(STDERR, `Note: ${note}\n`);
    return {
      text: `Message #${sent.id} sent\n`,
      json: { message_id: sent.id, status: sent.state, to: sent.to, ...(note === undefined ? {} : { note }) },
    };
  } catch (thrown) {
    throw toFailure(thrown);
  }
}

const UNSEEN =
  'Switchboard was not started here yet, or its home is not accessible: the user may not see this message before calling `switchboard chat messages agentmail:human` in this repository.';

/** A flag replaces the positional argument. */
function wordsTaken(line: ParsedArguments): number {
  return ['recipient', 'message'].filter((flag) => !line.text(flag)).length;
}

function wordsOf(line: ParsedArguments): { to: string; message: string } {
  const words = [...line.words];
  const to = line.text('recipient') || words.shift() || '';
  const message = line.text('message') || words.shift() || '';
  return { to, message };
}

/** An unknown recipient is reported before a missing repository. */
function contextFor({ peers }: Inside, to: string, context: () => AgentContext): AgentContext {
  try {
    return context();
  } catch (thrown) {
    if (peers.some(({ name, isCurrent }) => name === to && !isCurrent)) throw thrown;
    throw new CommandFailure('RECIPIENT_NOT_FOUND', 'recipient not found');
  }
}

function toFailure(thrown: unknown): CommandFailure {
  if (thrown instanceof AppError && isRefusal(thrown)) {
    return new CommandFailure(thrown.code, thrown.message, { hint: thrown.hint, cause: thrown });
  }
  return failedTo('write message', thrown);
}

/** The loop guard's conflict has a hint; other conflicts are about files. */
function isRefusal({ code, hint }: AppError): boolean {
  return REFUSALS.has(code) || (code === 'CONFLICT' && hint !== undefined);
}
