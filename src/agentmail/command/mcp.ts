import { type CommandCall, type CommandOutcome, insideOf, type MailCommand, tmuxLocationIn } from './command.ts';
import { CommandFailure } from './failure.ts';
import { STDERR, writeAll } from './output.ts';

export const mcp: MailCommand = {
  name: 'mcp',
  summary: 'Serve agent mail over MCP on standard input and output',
  usage: '[flags]',
  about: `Assistants start this. It has four tools: send, receive, status and list-recipients. It exits with
code 1 when its tmux session ends, and 0 when the assistant closes its input.`,
  flags: [
    { names: ['embedded'], takes: 'nothing', description: 'Run everything inside this process, without the daemon' },
    { names: ['home'], takes: 'text', description: 'Home of Switchboard (default: SWITCHBOARD_HOME)' },
  ],
  run: runMcp,
};

async function runMcp({ line, world }: CommandCall): Promise<CommandOutcome> {
  const where = await tmuxLocationIn(world);
  if (where.kind === 'outside') throw new CommandFailure('NO_AGENT_IDENTITY', 'not running inside a tmux session');
  const home = line.text('home');
  const args = [...(line.has('embedded') ? ['--embedded'] : []), ...(home === undefined ? [] : ['--home', home])];
  // It is served nevertheless: the tools then answer with the reason, which a model can pass on to its user.
  if (where.kind === 'uncertain') {
    writeAll(STDERR, `agentmail: ${where.cause}\n${where.hint}\n`);
    return { exitCode: await world.serveMcp(args) };
  }
  return { exitCode: await world.serveMcp(args, insideOf(where)) };
}
