import type { MailRecipient } from '../delivery/post.ts';
import { agentNameIn } from '../letter-text.ts';
import {
  type CommandCall,
  type CommandOutcome,
  contextHere,
  insideOf,
  type MailCommand,
  outsideTmux,
  refuseMoreWords,
  tmuxLocationIn,
} from './command.ts';
import { failedTo } from './failure.ts';

export const recipients: MailCommand = {
  name: 'recipients',
  summary: 'List the agents you can send to',
  usage: '[flags]',
  about: `Lists the windows of this tmux session in their order, one per line; your own is marked with [you].
Windows named in .agentmailignore are left out.`,
  flags: [],
  run: runRecipients,
};

async function runRecipients({ line, world }: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(line.words, 0);
  const where = await tmuxLocationIn(world);
  if (where.kind === 'outside') throw outsideTmux('not running inside a tmux session');
  const inside = insideOf(where);
  const context = contextHere(inside, world);
  try {
    const found: readonly MailRecipient[] = context
      ? await (await world.post()).recipients(context)
      : inside.peers.map(({ name, isCurrent }) => ({ name, isCurrent }));
    return { text: found.map(asLine).join(''), json: { recipients: found.map(viewOf) } };
  } catch (thrown) {
    throw failedTo('list windows', thrown);
  }
}

function asLine({ name, isCurrent }: MailRecipient): string {
  return `${agentNameIn(name)}${isCurrent ? ' [you]' : ''}\n`;
}

function viewOf({ name, isCurrent, status }: MailRecipient): object {
  return { name, is_current: isCurrent, ...(status === undefined ? {} : { status }) };
}
