import { agentNameIn } from '../letter-text.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { type CommandCall, type CommandOutcome, type MailCommand, refuseMoreWords } from './command.ts';
import { CommandFailure } from './failure.ts';

export const release: MailCommand = {
  name: 'release',
  summary: 'Release agents that were stopped by the loop guard',
  usage: '[<agent>]',
  about: `Two agents that only answer each other are stopped after 30 messages in a row (AGENTMAIL_LOOP_LIMIT
changes the number, 0 disables the limit). This releases one agent, or all agents of the repository
if none is named.`,
  flags: [],
  run: runRelease,
};

async function runRelease({ line, world }: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(line.words, 1);
  const [agent] = line.words;
  const mailFolders = mailFoldersFor(world.origin.cwd);
  if (!mailFolders) throw new CommandFailure('NO_AGENT_IDENTITY', 'not in a git repository: not in a git repository');
  const { createDeliveryStates } = await import('../delivery/delivery-states.ts');
  const state = createDeliveryStates(() => {}).of(mailFolders.main);
  const stopped = state
    .exchanges()
    .filter(({ stoppedAt, agents }) => stoppedAt !== undefined && (agent === undefined || agents.includes(agent)));
  for (const { pair } of stopped) state.dropExchange(pair);
  const released = stopped.map(({ agents }) => agents);
  return { text: asText(released), json: { released } };
}

function asText(released: readonly (readonly string[])[]): string {
  if (released.length === 0) return 'Nobody was stopped\n';
  return released.map((agents) => `Released: ${agents.map(agentNameIn).join(' and ')}\n`).join('');
}
