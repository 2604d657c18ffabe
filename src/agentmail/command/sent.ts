import { visible } from '../../lib/visible.ts';
import { unwokenText } from '../delivery/unwoken-reason.ts';
import type { SentLetter } from '../letter.ts';
import { agentNameIn } from '../letter-text.ts';
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

const LIMIT = 20;

export const sent: MailCommand = {
  name: 'sent',
  summary: 'Show the delivery state of your messages',
  usage: '[flags]',
  about: `Lists the messages you sent, newest first, with their state: stored (on disk), announced (the agent
was notified), fetched (it has read it), answered, bounced (its window was closed before it was read),
or gone (no longer in the mailbox: a program that stores no delivery states has removed it, as the original
program's cleanup does with messages that were read). For a message that is only stored it says why the
mailman did not notify the agent, if it tried.`,
  flags: [{ names: ['limit', 'n'], takes: 'number', description: `Maximum number (${LIMIT})` }],
  run: runSent,
};

async function runSent({ line, world }: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(line.words, 0);
  const where = insideOf(await tmuxLocationIn(world));
  const context = requireContext(where, world);
  try {
    const letters = await (await world.post()).sent(context, { limit: line.number('limit') ?? LIMIT });
    const text = letters.map(asLine).join('') || 'No messages sent\n';
    return { text, json: { messages: letters.map(viewOf) } };
  } catch (thrown) {
    throw failedTo('read what was sent', thrown);
  }
}

function asLine({ id, to, state, storedAt, preview, unwoken }: SentLetter): string {
  const heading = `#${id}  ${timeOf(storedAt)}  ${state.padEnd(9)}  ${agentNameIn(to)}`;
  const line = `${heading}: ${visible(preview.replace(/\s+/g, ' '))}\n`;
  return unwoken ? `${line}  not notified: ${unwokenText(unwoken.reason)} (${unwoken.reason})\n` : line;
}

function viewOf(letter: SentLetter): object {
  const { id, to, state, announcedBy, answerId, unwoken, preview } = letter;
  return {
    message_id: id,
    to,
    state,
    stored_at: timeOf(letter.storedAt),
    ...(letter.announcedAt === undefined ? {} : { announced_at: timeOf(letter.announcedAt) }),
    ...(announcedBy === undefined ? {} : { announced_by: announcedBy }),
    ...(letter.fetchedAt === undefined ? {} : { fetched_at: timeOf(letter.fetchedAt) }),
    ...(letter.answeredAt === undefined ? {} : { answered_at: timeOf(letter.answeredAt) }),
    ...(answerId === undefined ? {} : { answer_id: answerId }),
    ...(letter.bouncedAt === undefined ? {} : { bounced_at: timeOf(letter.bouncedAt) }),
    ...(unwoken === undefined ? {} : { not_notified: notNotified(unwoken) }),
    preview,
  };
}

function notNotified({ reason, since }: NonNullable<SentLetter['unwoken']>): object {
  return { reason, text: unwokenText(reason), since: timeOf(since) };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
