import { type AgentStatus, STATUSES } from '../agent.ts';
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

export const status: MailCommand = {
  name: 'status',
  summary: 'Set your status',
  usage: '<ready|work|offline> [flags]',
  about: `Only agents that are ready are notified of new mail. Outside tmux this does nothing, so that
hooks can call it anywhere. With --hook it does nothing on any error, either, such as outside a
repository: assistants call a hook that fails to the user's attention.`,
  flags: [
    { names: ['hook'], takes: 'nothing', description: 'For hooks of assistants: never fail' },
    {
      names: ['prompt'],
      takes: 'nothing',
      description: 'For the hook of a submitted prompt: the user may have typed it',
    },
  ],
  run: async (call) => {
    if (!call.line.has('hook')) return runStatus(call);
    return runStatus(call).catch(() => ({}));
  },
};

async function runStatus({ line, world }: CommandCall): Promise<CommandOutcome> {
  const asked = tmuxLocationIn(world);
  asked.catch(() => {});
  if (!saysTmux(world) && (await asked).kind === 'outside') return {};
  const [given] = line.words;
  if (given === undefined) {
    throw new CommandFailure('VALIDATION_ERROR', 'missing required argument: status', {
      hint: 'usage: agentmail status <ready|work|offline>',
    });
  }
  const wanted = checked(given);
  refuseMoreWords(line.words, 1);
  const where = insideOf(await asked);
  const context = requireContext(where, world);
  try {
    await (await world.post()).setStatus(context, wanted, { isPrompt: line.has('prompt') });
    announceHere(where, context, world);
  } catch (thrown) {
    throw failedTo('update status', thrown);
  }
  return { json: { status: wanted } };
}

function checked(given: string): AgentStatus {
  const found = STATUSES.find((each) => each === given);
  if (found) return found;
  throw new CommandFailure('VALIDATION_ERROR', `Invalid status: ${given}. Valid: ${STATUSES.join(', ')}`, {
    plain: true,
  });
}
