import { AppError } from '../../domain/errors.ts';
import type { AgentContext } from '../agent.ts';
import {
  type Call,
  type Command,
  type Inside,
  insideOf,
  type Outcome,
  refuseMoreWords,
  requireContext,
  saysTmux,
  tmuxLocationIn,
} from './command.ts';
import { CommandFailure, failedTo } from './failure.ts';
import type { Line } from './line.ts';
import { STDERR, writeAll } from './output.ts';
import { readStdin } from './stdin.ts';

/** Refused before anything was tried, each with a sentence of its own. */
const REFUSALS: ReadonlySet<string> = new Set(['RECIPIENT_NOT_FOUND', 'TOO_LARGE']);

export const send: Command = {
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

async function runSend({ line, world }: Call): Promise<Outcome> {
  refuseMoreWords(line.words, wordsTaken(line), 'a message of several words needs quotes around it');
  // Asked for at once, because tmux takes its time; where the environment is clear, other mistakes are told first.
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
    return { text: `Message #${sent.id} sent\n`, json: { message_id: sent.id, status: sent.state, to: sent.to } };
  } catch (thrown) {
    throw toFailure(thrown);
  }
}

/** A flag takes the place of a word. */
function wordsTaken(line: Line): number {
  return ['recipient', 'message'].filter((flag) => !line.text(flag)).length;
}

function wordsOf(line: Line): { to: string; message: string } {
  const words = [...line.words];
  const to = line.text('recipient') || words.shift() || '';
  const message = line.text('message') || words.shift() || '';
  return { to, message };
}

/** That there is nobody of that name is told before that there is no repository. */
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

/** A conflict that somebody can solve is one between agents; otherwise it is one with a file. */
function isRefusal({ code, hint }: AppError): boolean {
  return REFUSALS.has(code) || (code === 'CONFLICT' && hint !== undefined);
}
