import type { Letter } from '../letter.ts';
import { listedText } from '../letter-text.ts';
import {
  type CommandCall,
  type CommandOutcome,
  insideOf,
  type MailCommand,
  refuseMoreWords,
  requireContext,
  tmuxLocationIn,
} from './command.ts';
import { failedTo } from './failure.ts';
import { letterTextFor, STDOUT } from './output.ts';
import { timestamp } from './timestamp.ts';

const LIMIT = 20;

export const history: MailCommand = {
  name: 'history',
  summary: 'Show the messages you received, read or not',
  usage: '[flags]',
  about: 'Prints the messages in your mailbox, newest last. Marks nothing as read.',
  flags: [
    { names: ['limit', 'n'], takes: 'number', description: `Maximum number (${LIMIT})` },
    { names: ['with'], takes: 'text', description: 'Only from this agent' },
  ],
  run: runHistory,
};

async function runHistory({ line, world }: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(line.words, 0);
  const where = insideOf(await tmuxLocationIn(world));
  const context = requireContext(where, world);
  const partner = line.text('with');
  const options = { limit: line.number('limit') ?? LIMIT, ...(partner === undefined ? {} : { with: partner }) };
  try {
    const letters = await (await world.post()).history(context, options);
    const text = letters.map((letter) => listedText(letter, letterTextFor(STDOUT))).join('\n') || 'No messages\n';
    return { text, json: { messages: letters.map(viewOf) } };
  } catch (thrown) {
    throw failedTo('read messages', thrown);
  }
}

function viewOf({ id, from, to, message, isRead, createdAt }: Letter): object {
  return { id, from, to, message, ...timestamp(createdAt), is_read: isRead };
}
