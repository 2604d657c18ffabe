import type { Origin } from '../../domain/origin.ts';
import type { AgentContext } from '../agent.ts';
import type { PostOffice } from '../delivery/post.ts';
import { agentContextIn } from '../identity/agent-context.ts';
import { listProcessesAtOnce } from '../tmux/ancestors.ts';
import { tmuxAtOnce } from '../tmux/tmux.ts';
import { type TmuxLocation, tmuxLocationOf } from '../tmux/tmux-location.ts';
import { CommandFailure } from './failure.ts';
import type { Flag, Line } from './line.ts';

export type Inside = Extract<TmuxLocation, { kind: 'inside' }>;

/** What a command runs in. */
export interface World {
  origin: Origin;
  /** How this program was started: what comes before the name of a command. */
  self: readonly string[];
  /** Damage that was mended is told on standard error, unless it is to be quiet. */
  post(options?: { quiet: boolean }): Promise<PostOffice>;
  /** Serves MCP until the client or tmux goes away. */
  serveMcp(args: readonly string[], where: Inside): Promise<number>;
}

export interface Call {
  line: Line;
  world: World;
  json: boolean;
}

/** How a command ends where it does what it is for. Text and object say the same, and only one of them is printed. */
export interface Outcome {
  text?: string;
  json?: object;
  exitCode?: number;
}

export interface Command {
  name: string;
  summary: string;
  /** What comes after its name. */
  usage: string;
  about: string;
  flags: readonly Flag[];
  run(call: Call): Promise<Outcome>;
}

/** Whether the environment says that it is in tmux; where it does not, it may be so nevertheless. */
export function saysTmux({ origin }: World): boolean {
  return Boolean(origin.tmux);
}

export async function tmuxLocationIn({ origin }: World): Promise<TmuxLocation> {
  return tmuxLocationOf(origin, tmuxAtOnce, listProcessesAtOnce);
}

/** The pane and its peers, or the failure that every command tells in the same words. */
export function insideOf(where: TmuxLocation): Inside {
  if (where.kind === 'inside') return where;
  if (where.kind === 'outside') throw outsideTmux('agentmail must run inside a tmux session');
  throw new CommandFailure('NO_AGENT_IDENTITY', `failed to get current window: ${where.cause}`);
}

export function outsideTmux(message: string): CommandFailure {
  return new CommandFailure('NO_AGENT_IDENTITY', message, { exitCode: 2 });
}

/** Unlike an assistant's server, a command is where its user called it: the pane's own folder does not count. */
export function contextHere(where: Inside, { origin }: World): AgentContext | undefined {
  return agentContextIn(where, [origin.cwd], [where.socket]);
}

export function requireContext(where: Inside, world: World): AgentContext {
  const context = contextHere(where, world);
  if (context) return context;
  throw new CommandFailure('NO_AGENT_IDENTITY', 'not in a git repository: not in a git repository');
}

/** A word too many is often the rest of a message without quotes. */
export function refuseMoreWords(words: readonly string[], most: number, hint?: string): void {
  const [extra] = words.slice(most);
  if (extra !== undefined) throw new CommandFailure('VALIDATION_ERROR', `too many arguments: '${extra}'`, { hint });
}
