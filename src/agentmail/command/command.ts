import type { Origin } from '../../domain/origin.ts';
import type { AgentContext } from '../agent.ts';
import type { Announcement } from '../announced/announce.ts';
import type { PostOffice } from '../delivery/post.ts';
import { agentContextIn } from '../identity/agent-context.ts';
import { runPsSync } from '../tmux/ancestors.ts';
import { tmuxSync } from '../tmux/tmux.ts';
import { type Inside, type TmuxLocation, tmuxLocationOf } from '../tmux/tmux-location.ts';
import { CommandFailure } from './failure.ts';
import type { Flag, ParsedArguments } from './line.ts';

/** The environment of a command. */
export interface World {
  origin: Origin;
  /** The command line that started this program, up to the name of the command. */
  self: readonly string[];
  /** Warnings about repaired files go to standard error, unless `quiet`. */
  post(options?: { quiet: boolean }): Promise<PostOffice>;
  /** Tells the daemon of the user's home about a repository; false where there is no home. */
  announce(announcement: Announcement): boolean;
  /** Serves MCP until the client disconnects or, where the pane is known, tmux exits. */
  serveMcp(args: readonly string[], where?: Inside): Promise<number>;
}

export interface CommandCall {
  line: ParsedArguments;
  world: World;
  json: boolean;
}

/** The result of a successful command. `text` and `json` have the same content; one of them is printed. */
export interface CommandOutcome {
  text?: string;
  json?: object;
  exitCode?: number;
}

export interface MailCommand {
  name: string;
  summary: string;
  /** The part of the usage line after the command's name. */
  usage: string;
  about: string;
  flags: readonly Flag[];
  run(call: CommandCall): Promise<CommandOutcome>;
}

/** Whether the environment names a tmux session. Without it the process may be in tmux nevertheless. */
export function saysTmux({ origin }: World): boolean {
  return Boolean(origin.tmux);
}

export async function tmuxLocationIn({ origin }: World): Promise<TmuxLocation> {
  return tmuxLocationOf(origin, tmuxSync, runPsSync);
}

/** The pane and its peers; otherwise the error that all commands share. */
export function insideOf(where: TmuxLocation): Inside {
  if (where.kind === 'inside') return where;
  if (where.kind === 'outside') throw outsideTmux('agentmail must run inside a tmux session');
  if (where.kind === 'uncertain') throw new CommandFailure('NO_AGENT_IDENTITY', where.cause, { hint: where.hint });
  throw new CommandFailure('NO_AGENT_IDENTITY', `failed to get current window: ${where.cause}`);
}

export function outsideTmux(message: string): CommandFailure {
  return new CommandFailure('NO_AGENT_IDENTITY', message, { exitCode: 2 });
}

/** A command uses the folder in which it was called, not the folder of the pane. */
export function contextHere(where: Inside, { origin }: World): AgentContext | undefined {
  return agentContextIn(where, [origin.cwd], [where.socket]);
}

export function requireContext(where: Inside, world: World): AgentContext {
  const context = contextHere(where, world);
  if (context) return context;
  throw new CommandFailure('NO_AGENT_IDENTITY', 'not in a git repository: not in a git repository');
}

/** The daemon does not see what commands do: it learns of their repository here. False where there is no daemon to learn it. */
export function announceHere(where: Inside, { mailFolders }: AgentContext, { origin, announce }: World): boolean {
  const { window, pane } = where.me;
  const [server] = window?.split(':') ?? [];
  const tmux = origin.tmux ?? (server === undefined ? undefined : `${where.socket},${server},0`);
  const session = tmux === undefined || pane === undefined ? {} : { session: { tmux, pane } };
  return announce({ folder: mailFolders.main, ...session });
}

/** An extra argument is often the rest of a message without quotes. */
export function refuseMoreWords(words: readonly string[], most: number, hint?: string): void {
  const [extra] = words.slice(most);
  if (extra !== undefined) throw new CommandFailure('VALIDATION_ERROR', `too many arguments: '${extra}'`, { hint });
}
