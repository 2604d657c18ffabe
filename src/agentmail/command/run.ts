import { toAppError } from '../../domain/errors.ts';
import { closest } from '../../lib/did-you-mean.ts';
import { version } from '../../lib/version.ts';
import { cleanup } from './cleanup.ts';
import type { CommandOutcome, MailCommand, World } from './command.ts';
import { CommandFailure, isCommandFailure } from './failure.ts';
import { commandHelp, overview, programHelp } from './help.ts';
import { history } from './history.ts';
import { type ParsedArguments, parseLine } from './line.ts';
import { mailman } from './mailman.ts';
import { mcp } from './mcp.ts';
import { onboard } from './onboard.ts';
import { STDERR, STDOUT, writeAll, writeJson } from './output.ts';
import { receive } from './receive.ts';
import { recipients } from './recipients.ts';
import { release } from './release.ts';
import { send } from './send.ts';
import { sent } from './sent.ts';
import { status } from './status.ts';
import { wait } from './wait.ts';

const COMMANDS: readonly MailCommand[] = [
  send,
  receive,
  recipients,
  status,
  mailman,
  wait,
  sent,
  history,
  release,
  cleanup,
  onboard,
  mcp,
];

/** Runs one command line of `agentmail` and returns the exit code. */
export async function runAgentmail(args: readonly string[], world: World): Promise<number> {
  const asked = { json: looksLikeJson(args) };
  try {
    const { text = '', json, exitCode = 0 } = await dispatch(args, world, asked);
    if (asked.json && json) writeJson(STDOUT, json);
    else if (text) writeAll(STDOUT, text);
    return exitCode;
  } catch (thrown) {
    return fail(thrown, asked.json);
  }
}

async function dispatch(args: readonly string[], world: World, asked: { json: boolean }): Promise<CommandOutcome> {
  const [first, ...rest] = args;
  if (first === 'help') return help(rest[0]);
  if (first !== undefined && /^--?(help|h)$/.test(first)) return help(undefined);
  if (first !== undefined && /^--?(version|v)$/.test(first)) {
    return { text: `${version()}\n`, json: { version: version() } };
  }
  const command = COMMANDS.find(({ name }) => name === first);
  if (!command) throw first === undefined ? needsCommand() : unknownCommand(first);
  const line = parseFor(command, rest);
  asked.json = line.has('json');
  if (line.has('help')) return help(command.name);
  return command.run({ line, world, json: asked.json });
}

function help(name: string | undefined): CommandOutcome {
  if (name === undefined) return { text: programHelp(COMMANDS) };
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) throw unknownCommand(name);
  return { text: commandHelp(command) };
}

function needsCommand(): CommandFailure {
  return new CommandFailure('VALIDATION_ERROR', 'a command is needed', { text: overview(COMMANDS) });
}

function unknownCommand(name: string): CommandFailure {
  const meant = closest(
    name,
    COMMANDS.map((each) => each.name),
  );
  return new CommandFailure('VALIDATION_ERROR', `unknown command: '${name}'`, {
    hint: meant && `did you mean 'agentmail ${meant}'?`,
    preface: `${overview(COMMANDS)}\n`,
  });
}

/** The error, the help, and the error again, as the original prints it. */
function parseFor(command: MailCommand, args: readonly string[]): ParsedArguments {
  try {
    return parseLine(command.flags, args);
  } catch (thrown) {
    if (!(thrown instanceof CommandFailure)) throw thrown;
    const problem = thrown.message.slice(thrown.message.indexOf(': ') + 2);
    throw thrown.withPreface(`${problem}\n${commandHelp(command)}`);
  }
}

/** A guess before the line is parsed: it also decides the format of a parse error. */
function looksLikeJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some((arg) => /^--?json(=true)?$/.test(arg));
}

function fail(thrown: unknown, json: boolean): number {
  const failure = isCommandFailure(thrown) ? thrown : toFailure(thrown);
  try {
    if (json) writeJson(STDERR, { error: failure });
    else writeAll(STDERR, failure.lines());
  } catch {
    // With a closed output the exit code is all that is left.
  }
  return failure.exitCode;
}

function toFailure(thrown: unknown): CommandFailure {
  const { code, message, hint } = toAppError(thrown);
  return new CommandFailure(code, thrown instanceof Error ? thrown.message : message, { hint, cause: thrown });
}

/** Whether a line that begins with this word is a command of this program, or an error that it reports. */
export function isCommand(word: string): boolean {
  return COMMANDS.some(({ name }) => name === word);
}
